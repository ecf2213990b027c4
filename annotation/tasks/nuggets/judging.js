// Judging a response by the key: support, partial or not, nugget by nugget, and the strings that show it.

import { element, elements } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";
import { sayer } from "../../assess/workplace.js";

/** @import { KeyLine, Missing, Mount } from "../page" */
/** @import { Answer } from "./key.js" */

/** @typedef {{ phase: "judging", strings: string[], nuggets: { id: string, text: string }[], partial: boolean, evidence: "optional" | "required" }} Content */

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** @type {Mount<Content, Answer>} */
export function judging(root, { content, answer }, page) {
  /** @type {Answer["support"]} */
  const support = structuredClone(answer.support ?? {});
  const values = content.partial ? [1, 0.5, 0] : [1, 0];
  const rows = elements(root, ".asked-nugget");
  const strings = elements(root, "[data-string]");
  const say = sayer(element(root, "#hint"));
  let current = Math.max(0, firstOpen());
  for (const [index, row] of rows.entries()) {
    for (const input of elements(row, "input", HTMLInputElement)) {
      input.addEventListener("change", () => choose(index, Number(input.value)));
    }
    row.addEventListener("pointerdown", () => go(index, false));
    row.addEventListener("focusin", () => go(index, false));
  }
  for (const [index, button] of strings.entries()) {
    element(button, "[data-letter]").textContent = LETTERS[index]?.toUpperCase() ?? "";
    button.addEventListener("click", () => evidence(index + 1));
  }
  element(root, "[data-primary]").addEventListener("click", next);
  draw();

  function firstOpen() {
    return content.nuggets.findIndex(({ id }) => lacks(id));
  }

  /** @param {string} id */
  function lacks(id) {
    const own = support[id];
    if (own?.value === undefined || own.value === null) return true;
    return content.evidence === "required" && own.value > 0 && !own.strings.length;
  }

  function draw() {
    const now = support[content.nuggets[current]?.id];
    for (const [index, row] of rows.entries()) {
      const own = support[content.nuggets[index].id];
      for (const input of elements(row, "input", HTMLInputElement)) input.checked = own?.value === Number(input.value);
      row.classList.toggle("current", index === current);
      row.classList.toggle("done", !lacks(content.nuggets[index].id));
      const shown = (own?.strings ?? []).map((number) => LETTERS[number - 1]?.toUpperCase() ?? String(number));
      element(row, "[data-evidence]").textContent = shown.length
        ? gettext("shown by {strings}", { strings: shown.join(", ") })
        : "";
    }
    for (const [index, button] of strings.entries()) {
      button.setAttribute("aria-pressed", String(now?.strings.includes(index + 1) ?? false));
    }
    const done = content.nuggets.filter(({ id }) => !lacks(id)).length;
    element(root, "#standing").textContent = gettext("{done} of {all} answered", { done, all: content.nuggets.length });
  }

  /**
   * @param {number} index
   * @param {boolean} seen
   */
  function go(index, seen) {
    if (!rows[index]) return;
    current = index;
    draw();
    if (!seen) return;
    rows[index].scrollIntoView({ block: "nearest" });
    element(rows[index], "input").focus({ preventScroll: true });
  }

  /**
   * @param {number} index
   * @param {number} value
   */
  function choose(index, value) {
    const { id } = content.nuggets[index];
    const kept = value > 0 ? (support[id]?.strings ?? []) : [];
    support[id] = { value, strings: kept };
    current = index;
    say("");
    draw();
    page.changed();
  }

  /** @param {number} number of the string, from 1 */
  function evidence(number) {
    const { id } = content.nuggets[current];
    const own = support[id] ?? { value: null, strings: [] };
    if (own.value === 0) return say(gettext("This nugget is not supported: nothing shows it."));
    const isOn = own.strings.includes(number);
    const chosen = isOn
      ? own.strings.filter((each) => each !== number)
      : [...own.strings, number].sort((a, b) => a - b);
    support[id] = { value: own.value, strings: chosen };
    say("");
    draw();
    page.changed();
    page.announce(isOn ? gettext("Not shown by this string.") : gettext("Shown by this string."));
  }

  /** To the next nugget that is not done; when all are, to the button that submits, and no further. */
  function goOn() {
    const after = content.nuggets.findIndex(({ id }, index) => index > current && lacks(id));
    if (after >= 0) go(after, true);
    else if (firstOpen() >= 0) go(firstOpen(), true);
    else element(root, "[data-primary]").focus();
  }

  /** Enter: the next nugget that is not done, and when all are, the end. */
  function next() {
    const open = content.nuggets.map(({ id }, index) => (lacks(id) ? index : -1)).filter((index) => index >= 0);
    if (!open.length) return page.submit();
    const after = open.find((index) => index > current) ?? open[0];
    const { id, text } = content.nuggets[after];
    const isJudged = typeof support[id]?.value === "number";
    if (after === current || document.activeElement?.matches("[data-primary]")) {
      const message = isJudged
        ? gettext("Choose the strings that show “{nugget}”.", { nugget: text })
        : gettext("Say whether the response supports “{nugget}”.", { nugget: text });
      show([{ field: id, message }]);
      return page.announce(message);
    }
    go(after, true);
    return page.announce(text);
  }

  /** @param {Missing[]} missing */
  function show([{ field, message }]) {
    const index = content.nuggets.findIndex(({ id }) => id === field);
    if (index >= 0) go(index, true);
    say(message);
  }

  /** @param {string} name */
  function key(name) {
    const value = values[Number(name) - 1];
    const letter = name.length === 1 ? LETTERS.indexOf(name.toLowerCase()) : -1;
    if (/^[1-3]$/u.test(name) && value !== undefined) {
      choose(current, value);
      const words = value === 1 ? gettext("support") : value ? gettext("partial") : gettext("not");
      page.announce(words);
      if (value === 0) goOn();
    } else if (letter >= 0 && letter < strings.length) evidence(letter + 1);
    else if (name === "ArrowDown" || name === "ArrowUp") {
      go(Math.min(Math.max(current + (name === "ArrowDown" ? 1 : -1), 0), rows.length - 1), true);
    } else if (name === "Enter") next();
    else return false;
    return true;
  }

  /** @type {KeyLine[]} */
  const keys = [
    [content.partial ? "1 2 3" : "1 2", content.partial ? gettext("support, partial, not") : gettext("support, not")],
    ["A B C …", gettext("this string of the response shows the nugget")],
    ["↑ ↓", gettext("nugget before, after")],
    ["⏎", gettext("next nugget; submit when all are answered")],
  ];

  return { answer: () => ({ nuggets: [], covered: [], support }), key, keys, show };
}
