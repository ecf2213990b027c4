// Ranking: buttons 1 … k on each text; arrows choose a text, a digit ranks it; letters can be dragged into tiers.

import { comparisonMount, letters } from "../../assess/comparison.js";
import { element, elements } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";

/** @import { Mount } from "../page" */
/** @import { Content } from "../../../static/assess/comparison.js" */

/** @typedef {(number | null)[]} Ranks by place, 1 best */
/** @typedef {{ ranks: Record<string, Ranks>, reason: string }} Answer */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const names = content.criteria.map(({ name }) => name);
  const marks = letters(content.texts);
  /** @type {Record<string, Ranks>} */
  const ranks = Object.fromEntries(
    names.map((name) => [name, marks.map((_, place) => answer.ranks?.[name]?.[place] ?? null)]),
  );
  const shared = comparisonMount(root, content, answer.reason ?? "", page, { draw, walks: true });
  const cellOf = (/** @type {string} */ name, /** @type {number} */ place) =>
    element(root, `[data-cell="${name}:${place}"]`);

  for (const name of names) {
    for (const place of marks.keys()) {
      const cell = cellOf(name, place);
      cell.addEventListener("focusin", () => shared.goTo(name, place));
      for (const button of elements(cell, "button", HTMLButtonElement)) {
        button.addEventListener("click", () => {
          const rank = Number(button.dataset.value);
          rankSet(name, place, ranks[name][place] === rank ? null : rank);
        });
      }
    }
    tiersMount(name);
  }

  /**
   * @param {string} name
   * @param {number} place
   * @param {number | null} rank
   */
  function rankSet(name, place, rank) {
    ranks[name][place] = rank;
    shared.goTo(name, place);
    shared.changed();
  }

  /** @param {string} name */
  function tiersOf(name) {
    return elements(element(root, `.criterion[data-criterion="${name}"]`), "[data-tier]");
  }

  /**
   * A letter that is dragged goes to the tier under the pointer; let go elsewhere, it stays where it was.
   *
   * @param {string} name
   */
  function tiersMount(name) {
    // Room for all of them from the start, so that no tier moves when a letter leaves.
    tiersOf(name)[0].style.minWidth = `${marks.length * 2 + 0.5}rem`;
    for (const [place, letter] of marks.entries()) {
      const chip = document.createElement("span");
      chip.className = "chip";
      chip.textContent = letter;
      chip.dataset.place = String(place);
      let from = { x: 0, y: 0 };
      chip.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        chip.setPointerCapture(event.pointerId);
        from = { x: event.clientX, y: event.clientY };
        chip.classList.add("dragged");
      });
      chip.addEventListener("pointermove", (event) => {
        if (!chip.hasPointerCapture(event.pointerId)) return;
        chip.style.translate = `${event.clientX - from.x}px ${event.clientY - from.y}px`;
        const over = tierAt(name, event);
        for (const tier of tiersOf(name)) tier.classList.toggle("over", tier === over);
      });
      const end = (/** @type {PointerEvent} */ event) => {
        const over = event.type === "pointerup" ? tierAt(name, event) : null;
        chip.classList.remove("dragged");
        chip.style.translate = "";
        for (const tier of tiersOf(name)) tier.classList.remove("over");
        if (over) rankSet(name, place, Number(over.dataset.tier) || null);
      };
      chip.addEventListener("pointerup", end);
      chip.addEventListener("pointercancel", end);
      tiersOf(name)[0].append(chip);
    }
  }

  /**
   * @param {string} name
   * @param {PointerEvent} event
   */
  function tierAt(name, { clientX, clientY }) {
    return (
      tiersOf(name).find((tier) => {
        const box = tier.getBoundingClientRect();
        return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
      }) ?? null
    );
  }

  function draw() {
    for (const name of names) {
      const tiers = tiersOf(name);
      for (const place of marks.keys()) {
        const rank = ranks[name][place];
        for (const button of elements(cellOf(name, place), "button")) {
          button.setAttribute("aria-pressed", String(Number(button.dataset.value) === rank));
        }
        const tier = tiers[Math.min(rank ?? 0, tiers.length - 1)];
        const chip = tiers.map((each) => each.querySelector(`.chip[data-place="${place}"]`)).find(Boolean);
        if (chip && chip.parentElement !== tier) tier.append(chip);
      }
      shared.order(name, orderOf(ranks[name], marks));
    }
  }

  /** @param {number} by */
  function move(by) {
    const all = names.length * marks.length;
    const at = names.indexOf(shared.criterion()) * marks.length + shared.place();
    const next = Math.min(Math.max(at + by, 0), all - 1);
    shared.goTo(names[Math.floor(next / marks.length)], next % marks.length, { scroll: true });
    page.announce(`${marks[shared.place()]}: ${ranks[shared.criterion()][shared.place()] ?? gettext("no rank")}`);
  }

  /** The next text without a rank becomes the current one. */
  function goOn() {
    const name = shared.criterion();
    const open = [name, ...names].find((other) => ranks[other].includes(null));
    if (!open) return;
    const later = ranks[open].findIndex((rank, place) => rank === null && (open !== name || place > shared.place()));
    shared.goTo(open, later >= 0 ? later : ranks[open].indexOf(null), { scroll: true });
  }

  /** @param {string} name */
  function key(name) {
    const digit = Number(name);
    /** @type {Record<string, number>} */
    const moves = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1 };
    if (/^[1-9]$/.test(name) && digit <= marks.length) {
      const [criterion, place] = [shared.criterion(), shared.place()];
      rankSet(criterion, place, digit);
      page.announce(`${marks[place]}: ${digit}. ${orderOf(ranks[criterion], marks)}`);
      goOn();
    } else if (name in moves) move(moves[name]);
    else if (name === "Delete" || name === "Backspace") rankSet(shared.criterion(), shared.place(), null);
    else return shared.key(name);
    return true;
  }

  const first = names.find((name) => ranks[name].includes(null)) ?? names[0];
  shared.goTo(first, Math.max(ranks[first].indexOf(null), 0));

  return {
    key,
    keys: [
      ["↑ ↓", gettext("text before, text after (or K and J)")],
      [`1 … ${marks.length}`, gettext("rank of the current text")],
      ["Delete", gettext("take its rank away")],
      ...shared.keys,
    ],
    answer: () => ({
      ranks: Object.fromEntries(names.map((name) => [name, [...ranks[name]]])),
      reason: shared.reason(),
    }),
    show: shared.show,
  };
}

/**
 * The order in a line: A = C > B > D; who has no rank yet is left out.
 *
 * @param {Ranks} ranks
 * @param {string[]} marks
 */
export function orderOf(ranks, marks) {
  const given = [...new Set(ranks.filter((rank) => rank !== null))].sort((one, other) => one - other);
  return given.map((rank) => marks.filter((_, place) => ranks[place] === rank).join(" = ")).join(" > ");
}
