// Stage 2: lines are taken, one by one or in stretches. No number is asked for, and none is a target.

import { element, elements } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";

/** @import { Missing, Mount } from "../page" */
/** @import { Answer, Content } from "./page.js" */

/** @type {Mount<Content, Answer>} */
export function lines(root, { content, answer }, page) {
  const buttons = elements(root, "[data-line]", HTMLButtonElement);
  const numbers = buttons.map((button) => Number(button.dataset.line));
  const taken = new Set((answer.extract ?? []).filter((number) => numbers.includes(number)));
  const hint = element(root, "#hint");
  const isLast = content.last === 2;
  let current = Math.max(
    0,
    numbers.findIndex((number) => taken.has(number)),
  );
  let from = current; // where the pointer found us: the focus goes to what is clicked before the click is told

  for (const [index, button] of buttons.entries()) {
    button.addEventListener("pointerdown", () => {
      from = current;
    });
    button.addEventListener("click", (event) => {
      if (event.shiftKey && event.detail) stretch(from, index);
      else toggle(index);
    });
    button.addEventListener("focus", () => go(index, false));
  }
  element(root, "[data-primary]").addEventListener("click", next);
  draw();

  function draw() {
    for (const [index, button] of buttons.entries()) {
      button.setAttribute("aria-pressed", String(taken.has(numbers[index])));
      button.tabIndex = index === current ? 0 : -1;
      if (index === current) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
    element(root, "#standing").textContent = ngettext("{n} line taken", "{n} lines taken", taken.size);
  }

  /**
   * @param {number} index
   * @param {boolean} isSeen bring it into sight and to the keys
   */
  function go(index, isSeen) {
    if (!buttons[index]) return;
    current = index;
    draw();
    if (!isSeen) return;
    buttons[index].focus({ preventScroll: true });
    buttons[index].scrollIntoView({ block: "nearest" });
  }

  function changed() {
    hint.textContent = "";
    hint.classList.remove("problem");
    draw();
    page.changed();
  }

  /** @param {number} index */
  function toggle(index) {
    const number = numbers[index];
    const isOn = taken.delete(number);
    if (!isOn) taken.add(number);
    current = index;
    changed();
    const words = isOn ? gettext("Line {n} left out.", { n: number }) : gettext("Line {n} taken.", { n: number });
    page.announce(words);
  }

  /**
   * Everything from one line to another.
   *
   * @param {number} start
   * @param {number} end
   */
  function stretch(start, end) {
    const [first, last] = [Math.min(start, end), Math.max(start, end)];
    for (const number of numbers.slice(first, last + 1)) taken.add(number);
    changed();
    go(end, true);
    page.announce(gettext("Lines {first} to {last} taken.", { first: numbers[first], last: numbers[last] }));
  }

  function next() {
    if (!taken.size) {
      const message = gettext("Take at least one line.");
      show([{ field: "extract", message }]);
      return page.announce(message);
    }
    return isLast ? page.submit() : page.confirm();
  }

  /** @param {Missing[]} missing */
  function show([{ field, message }]) {
    if (field !== "extract") return window.location.reload();
    hint.textContent = message;
    hint.classList.add("problem");
    return go(current, true);
  }

  /**
   * @param {string} name
   * @param {KeyboardEvent} event
   */
  function key(name, event) {
    /** @type {Record<string, number>} */
    const moves = { ArrowUp: -1, k: -1, K: -1, ArrowDown: 1, j: 1, J: 1 };
    if (name === "Enter") next();
    else if (name === " ") toggle(current);
    else if (name in moves) {
      const to = Math.min(Math.max(current + moves[name], 0), buttons.length - 1);
      if (event.shiftKey) stretch(current, to);
      else go(to, true);
    } else return false;
    return true;
  }

  return {
    answer: () => ({
      abstract: {},
      stage: 2,
      extract: numbers.filter((number) => taken.has(number)),
      links: {},
      back: false,
    }),
    key,
    keys: [
      ["Space", gettext("take the line, or leave it out again")],
      ["↑ ↓", gettext("line before, line after (or K and J)")],
      ["⇧↓ ⇧↑", gettext("take a stretch of lines")],
      ["⏎", isLast ? page.submitWord : gettext("go on to the links")],
    ],
    show,
    closes: true,
    confirmed() {
      go(current, true);
      page.announce(gettext("Take lines of the text. The abstract stays as it is."));
    },
  };
}
