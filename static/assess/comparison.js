// What all comparisons share: which question and which text are current, differences, the reason, and where a problem is said.

import { differences } from "./differences.js";
import { element, elements } from "./dom.js";
import { gettext } from "./gettext.js";

/** @import { KeyLine, Missing, Page } from "../../annotation/tasks/page" */

/** @typedef {{ name: string, heading: string, question: string }} Criterion */

/**
 * @typedef {object} Content what the server gives for every comparison
 * @property {{ letter: string, place: number, text: string }[]} texts
 * @property {Criterion[]} criteria
 * @property {"offered" | "shown" | "off"} differences
 * @property {"off" | "optional" | "required"} reason
 */

/**
 * @typedef {object} Shared
 * @property {() => string} criterion the name of the current question
 * @property {() => number} place the place of the current text
 * @property {(criterion: string, place?: number, options?: { scroll?: boolean }) => void} goTo
 * @property {(by: number) => void} step to the question before or after
 * @property {() => boolean} isOneByOne whether there is room for the current question only
 * @property {() => void} changed the answer has changed: what was said to be missing is forgotten, and a draft is saved
 * @property {(name: string) => boolean} key keys that all comparisons have; whether it was used
 * @property {(missing: Missing[]) => void} show
 * @property {() => string} reason
 * @property {(criterion: string, words: string) => void} order say how a question stands
 * @property {KeyLine[]} keys
 */

/** @param {{ letter: string }[]} texts */
export const letters = (texts) => texts.map(({ letter }) => letter);

/**
 * @param {HTMLElement} root
 * @param {Content} content
 * @param {string} reason as it is so far
 * @param {Page} page
 * @param {{ draw: () => void, walks?: boolean }} kind ``walks``: one text is the current one, and keys go from text to text
 * @returns {Shared}
 */
export function comparisonMount(root, content, reason, page, kind) {
  const rows = new Map(
    content.criteria.map(({ name }) => [name, element(root, `.criterion[data-criterion="${name}"]`)]),
  );
  const members = elements(root, ".member");
  const bodies = elements(root, "[data-text]");
  const field = /** @type {HTMLTextAreaElement | null} */ (root.querySelector("#reason"));
  const toggle = /** @type {HTMLButtonElement | null} */ (root.querySelector("[data-differences]"));
  let current = content.criteria[0].name;
  let place = 0;
  /** @type {Missing | null} */
  let said = null; // what is missing, once the assessor has tried to go on

  for (const [name, row] of rows) {
    row.addEventListener("focusin", () => goTo(name));
    row.addEventListener("pointerdown", () => goTo(name));
  }
  element(root, "[data-primary]").addEventListener("click", () => page.submit());
  for (const button of elements(root, "[data-ask]")) {
    button.addEventListener("click", () => step(Number(button.dataset.ask)));
  }
  toggle?.addEventListener("click", () => differencesShow(toggle.getAttribute("aria-pressed") !== "true"));
  if (field) {
    field.value = reason;
    field.addEventListener("input", () => {
      said = null;
      draw();
      page.changed();
    });
    // In a box for a sentence Enter goes on, as everywhere; Shift+Enter makes a line.
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      page.submit();
    });
  }
  if (content.differences === "shown") differencesShow(true);

  /** @param {boolean} isOn */
  function differencesShow(isOn) {
    toggle?.setAttribute("aria-pressed", String(isOn));
    const texts = content.texts.map(({ text }) => text);
    const language = bodies[0]?.lang;
    const found = isOn ? differences(texts, language) : texts.map((text) => [{ text, isOwn: false }]);
    for (const [index, body] of bodies.entries()) {
      const parts = found[index].map(({ text, isOwn }) => {
        if (!isOwn) return document.createTextNode(text);
        const mark = document.createElement("mark");
        mark.textContent = text;
        return mark;
      });
      body.replaceChildren(...parts);
    }
  }

  /**
   * @param {string} criterion
   * @param {number} [at]
   * @param {{ scroll?: boolean }} [options]
   */
  function goTo(criterion, at = place, options = {}) {
    current = criterion;
    place = at;
    draw();
    if (options.scroll) members[place]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {number} by */
  function step(by) {
    const names = [...rows.keys()];
    goTo(names[Math.min(Math.max(names.indexOf(current) + by, 0), names.length - 1)]);
  }

  function draw() {
    for (const place of elements(root, "[data-stepper]")) {
      const number = [...rows.keys()].indexOf(current) + 1;
      place.textContent = gettext("{number} of {total}", { number, total: rows.size });
    }
    for (const [name, row] of rows) {
      row.classList.toggle("current", name === current && rows.size > 1);
      hint(element(row, ".hint"), said?.field.split(":")[0] === name ? said.message : "");
    }
    if (field) hint(element(root, "#hint-reason"), said?.field === "reason" ? said.message : "");
    for (const [index, member] of members.entries()) {
      member.classList.toggle("current", Boolean(kind.walks) && index === place);
    }
    for (const cell of elements(root, "[data-cell]")) {
      cell.classList.toggle("problem", cell.dataset.cell === said?.field);
    }
    kind.draw();
  }

  /**
   * @param {HTMLElement} where
   * @param {string} message
   */
  function hint(where, message) {
    where.textContent = message;
    where.classList.toggle("problem", Boolean(message));
  }

  /** @type {KeyLine[]} */
  const keys = [];
  if (toggle) keys.push(["D", gettext("show or hide what only one text says")]);

  return {
    criterion: () => current,
    place: () => place,
    goTo,
    step,
    isOneByOne: () => elements(root, ".stepper").some((one) => getComputedStyle(one).display !== "none"),
    changed() {
      said = null;
      draw();
      page.changed();
    },
    key(name) {
      if (name === "Enter") page.submit();
      else if (name.toLowerCase() === "d" && toggle) toggle.click();
      else return false;
      return true;
    },
    show(missing) {
      said = missing[0];
      const [name, at] = said.field.split(":");
      if (name === "reason" && field) {
        draw();
        field.focus();
        return;
      }
      goTo(rows.has(name) ? name : current, at === undefined ? place : Number(at), { scroll: at !== undefined });
      rows.get(name)?.scrollIntoView({ block: "nearest" });
    },
    reason: () => field?.value ?? "",
    order(criterion, words) {
      const line = element(rows.get(criterion) ?? root, "[data-order]");
      if (line.textContent !== words) line.textContent = words;
    },
    keys,
  };
}
