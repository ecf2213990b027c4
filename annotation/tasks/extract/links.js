// Stage 3: for every line that was taken, the sentences of the abstract that it supports, by their letters.

import { element, elements } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";

/** @import { Missing, Mount } from "../page" */
/** @import { Answer, Content } from "./page.js" */

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * The key of a sentence, by its place: A to Z, then with Shift; what comes after is reached by mouse and Tab.
 *
 * @param {number} index
 */
function letterOf(index) {
  if (index < LETTERS.length) return LETTERS[index];
  return index < 2 * LETTERS.length ? `⇧${LETTERS[index - LETTERS.length]}` : String(index + 1);
}

/** @type {Mount<Content, Answer>} */
export function links(root, { content, answer }, page) {
  const sentences = content.sentences ?? [];
  const lines = elements(root, "[data-line]");
  const numbers = lines.map((line) => line.dataset.line ?? "");
  const buttons = elements(root, "[data-sentence]");
  const hint = element(root, "#hint");
  /** @type {Record<string, string[]>} */
  const linked = Object.fromEntries(numbers.map((number) => [number, answer.links?.[number] ?? []]));
  let isBack = false;
  let current = Math.max(
    0,
    numbers.findIndex((number) => !linked[number].length),
  );

  for (const [index, line] of lines.entries()) {
    line.addEventListener("click", () => go(index, false));
    line.addEventListener("focus", () => go(index, false));
  }
  for (const [index, button] of buttons.entries()) {
    element(button, "[data-letter]").textContent = letterOf(index);
    button.addEventListener("click", () => toggle(index));
  }
  element(root, "[data-primary]").addEventListener("click", next);
  element(root, "[data-back]").addEventListener("click", back);
  draw();

  /** @param {string[]} ids */
  function lettersOf(ids) {
    return sentences.flatMap(({ id }, index) => (ids.includes(id) ? [letterOf(index)] : [])).join(" ");
  }

  function draw() {
    for (const [index, line] of lines.entries()) {
      const own = linked[numbers[index]];
      const shown = element(line, "[data-linked]");
      shown.textContent = own.length ? lettersOf(own) : gettext("no sentence yet");
      shown.classList.toggle("none", !own.length);
      line.tabIndex = index === current ? 0 : -1;
      if (index === current) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
    const now = linked[numbers[current]] ?? [];
    for (const [index, button] of buttons.entries()) {
      const { id } = sentences[index];
      button.setAttribute("aria-pressed", String(now.includes(id)));
      element(button, "[data-lines]").textContent = numbers.filter((number) => linked[number].includes(id)).join(", ");
    }
    element(root, "#standing").textContent = standing();
  }

  /** How far one is, and which sentences no line supports: they may stay so. */
  function standing() {
    const done = numbers.filter((number) => linked[number].length).length;
    const so = gettext("Lines linked: {done} of {all}", { done, all: numbers.length });
    const used = new Set(Object.values(linked).flat());
    const bare = sentences.flatMap(({ id }, index) => (used.has(id) ? [] : [letterOf(index)]));
    if (!bare.length) return so;
    const without = gettext("without a line, which may stay so: {sentences}", { sentences: bare.join(" ") });
    return `${so} · ${without}`;
  }

  /**
   * @param {number} index
   * @param {boolean} isSeen bring it into sight and to the keys
   */
  function go(index, isSeen) {
    if (!lines[index]) return;
    current = index;
    draw();
    if (!isSeen) return;
    lines[index].focus({ preventScroll: true });
    lines[index].scrollIntoView({ block: "nearest" });
  }

  /** @param {number} index of the sentence */
  function toggle(index) {
    const { id } = sentences[index];
    const own = linked[numbers[current]];
    const isOn = own.includes(id);
    const ids = isOn ? own.filter((each) => each !== id) : [...own, id];
    linked[numbers[current]] = sentences.map((sentence) => sentence.id).filter((each) => ids.includes(each));
    isBack = false;
    hint.textContent = "";
    hint.classList.remove("problem");
    draw();
    page.changed();
    const values = { n: numbers[current], letter: letterOf(index) };
    page.announce(
      isOn ? gettext("Line {n} no longer supports {letter}.", values) : gettext("Line {n} supports {letter}.", values),
    );
  }

  /** Enter: the next line without a sentence, and when all have one, the end. */
  function next() {
    isBack = false;
    const open = numbers.flatMap((number, index) => (linked[number].length ? [] : [index]));
    if (!open.length) return page.submit();
    const after = open.find((index) => index > current) ?? open[0];
    if (after !== current && !document.activeElement?.matches("[data-primary]")) return go(after, true);
    const message = gettext("Say which sentences line {n} supports.", { n: numbers[after] });
    show([{ field: numbers[after], message }]);
    return page.announce(message);
  }

  /** To the lines again; links of those that stay are kept. */
  function back() {
    isBack = true;
    page.confirm();
  }

  /** @param {Missing[]} missing */
  function show([{ field, message }]) {
    const index = numbers.indexOf(field);
    if (index < 0) return window.location.reload();
    go(index, true);
    hint.textContent = message;
    return hint.classList.add("problem");
  }

  /**
   * @param {string} name
   * @param {KeyboardEvent} event
   */
  function key(name, event) {
    /** @type {Record<string, number>} */
    const moves = { ArrowUp: -1, ArrowDown: 1 };
    const letter = name.length === 1 ? LETTERS.indexOf(name.toUpperCase()) : -1;
    const index = letter + (event.shiftKey ? LETTERS.length : 0);
    if (letter >= 0 && index < sentences.length) toggle(index);
    else if (name in moves) go(Math.min(Math.max(current + moves[name], 0), lines.length - 1), true);
    else if (name === " ") toggleFocused();
    else if (name === "Enter") next();
    else if (name === "Backspace") back();
    else return false;
    return true;
  }

  /** Space presses the sentence that has the focus. */
  function toggleFocused() {
    const index = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    if (index >= 0) toggle(index);
  }

  return {
    answer: () => ({ abstract: {}, stage: 3, extract: numbers.map(Number), links: { ...linked }, back: isBack }),
    key,
    keys: [
      ["A B C …", gettext("the line supports this sentence, or does not")],
      ["↑ ↓", gettext("line before, line after")],
      ["⏎", gettext("next line without a sentence; submit when all have one")],
      ["⌫", gettext("back to the lines; links are kept")],
    ],
    show,
    closes: true,
    confirmed() {
      go(current, true);
      page.announce(gettext("Say for each line which sentences it supports."));
    },
  };
}
