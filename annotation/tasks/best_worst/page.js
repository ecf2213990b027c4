// Best and worst: two buttons on each text; digits choose the best, with Shift the worst.

import { comparisonMount, letters } from "../../assess/comparison.js";
import { element, elements } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";

/** @import { KeyLine, Mount } from "../page" */
/** @import { Content } from "../../../static/assess/comparison.js" */

/** @typedef {Record<string, number | null>} Places by criterion */
/** @typedef {{ best: Places, worst: Places, reason: string }} Answer */
/** @typedef {"best" | "worst"} End */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const names = content.criteria.map(({ name }) => name);
  const marks = letters(content.texts);
  const given = (/** @type {Places | undefined} */ places) =>
    Object.fromEntries(names.map((name) => [name, places?.[name] ?? null]));
  /** @type {Record<End, Places>} */
  const chosen = { best: given(answer.best), worst: given(answer.worst) };
  const shared = comparisonMount(root, content, answer.reason ?? "", page, { draw });

  for (const name of names) {
    for (const place of marks.keys()) {
      const cell = element(root, `[data-cell="${name}:${place}"]`);
      cell.addEventListener("focusin", () => shared.goTo(name, place));
      for (const button of elements(cell, "button", HTMLButtonElement)) {
        button.addEventListener("click", () => choose(name, place, /** @type {End} */ (button.dataset.value)));
      }
    }
  }

  /**
   * A text cannot be both: choosing one clears the other on it. Chosen again, it is not chosen.
   *
   * @param {string} name
   * @param {number} place
   * @param {End} end
   */
  function choose(name, place, end) {
    const other = end === "best" ? "worst" : "best";
    chosen[end][name] = chosen[end][name] === place ? null : place;
    if (chosen[other][name] === place) chosen[other][name] = null;
    shared.goTo(name, place);
    shared.changed();
  }

  function draw() {
    for (const name of names) {
      for (const place of marks.keys()) {
        for (const button of elements(element(root, `[data-cell="${name}:${place}"]`), "button")) {
          const end = /** @type {End} */ (button.dataset.value);
          button.setAttribute("aria-pressed", String(chosen[end][name] === place));
        }
      }
      shared.order(name, chosenWords(name));
    }
  }

  /** @param {string} name */
  function chosenWords(name) {
    return gettext("Best {best}, worst {worst}", { best: letterOf("best", name), worst: letterOf("worst", name) });
  }

  /**
   * @param {End} end
   * @param {string} name
   */
  function letterOf(end, name) {
    const place = chosen[end][name];
    return place === null ? "–" : marks[place];
  }

  /**
   * @param {string} name
   * @param {KeyboardEvent} event
   */
  function key(name, event) {
    // With Shift a keyboard types “!” for 1, or without it (French, Czech): the key itself is what counts.
    const typed = event.shiftKey ? undefined : /^[1-9]$/.exec(name)?.[0];
    const digit = /^Digit([1-9])$/.exec(event.code)?.[1] ?? typed;
    if (digit && event.repeat) return true; // held down it would choose, and not choose, again and again
    const at = names.indexOf(shared.criterion());
    /** @type {Record<string, number>} */
    const moves = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1 };
    if (digit && Number(digit) <= marks.length) {
      const end = event.shiftKey ? "worst" : "best";
      choose(names[at], Number(digit) - 1, end);
      page.announce(chosenWords(names[at]));
      const open = names.find((other) => chosen.best[other] === null || chosen.worst[other] === null);
      if (open) shared.goTo(open);
    } else if (name in moves && names.length > 1) {
      shared.goTo(names[Math.min(Math.max(at + moves[name], 0), names.length - 1)]);
    } else return shared.key(name);
    return true;
  }

  const first = names.find((name) => chosen.best[name] === null || chosen.worst[name] === null);
  shared.goTo(first ?? names[0]);

  /** @type {KeyLine[]} */
  const keys = [
    [`1 … ${marks.length}`, gettext("the best text")],
    [`Shift+1 … ${marks.length}`, gettext("the worst text")],
  ];
  if (names.length > 1) keys.push(["↑ ↓", gettext("question before, question after (or K and J)")]);
  return {
    key,
    keys: [...keys, ...shared.keys],
    answer: () => ({ best: { ...chosen.best }, worst: { ...chosen.worst }, reason: shared.reason() }),
    show: shared.show,
  };
}
