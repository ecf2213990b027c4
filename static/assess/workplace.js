// Pages on which people build something for an hour: an answer with a way back through it, and a search in texts.

import { element } from "./dom.js";
import { gettext } from "./gettext.js";
import { lineField } from "./line_field.js";

/** @import { Page } from "../../annotation/tasks/page" */
/** @import { Field, Mark, SpanTexts } from "./spans.js" */
/** @import { Part } from "./offsets.js" */

/**
 * An answer that is changed step by step, back to the opening of the page. Buttons ``[data-undo]`` and ``[data-redo]`` of the page,
 * Ctrl+Z and Ctrl+Y (or Shift+Ctrl+Z) go back and forth; ``[data-primary]`` and Ctrl+Enter submit.
 *
 * @template Answer
 */
export class Workplace {
  /** @type {{ tag: string, answer: string }[]} */
  #past = [];
  /** @type {string[]} */
  #future = [];

  /**
   * @param {HTMLElement} root
   * @param {Answer} answer
   * @param {Page} page
   * @param {() => void} draw
   * @param {{ submit?: () => void, drop?: () => void }} [acts] what Ctrl+Enter and Escape do, wherever the focus is
   */
  constructor(root, answer, page, draw, { submit = () => page.submit(), drop = () => {} } = {}) {
    this.root = root;
    this.answer = answer;
    this.page = page;
    this.draw = draw;
    this.submit = submit;
    this.drop = drop;
    element(root, "[data-primary]").addEventListener("click", submit);
    element(root, "[data-undo]").addEventListener("click", () => this.undo());
    element(root, "[data-redo]").addEventListener("click", () => this.redo());
    const controller = new AbortController();
    document.addEventListener(
      "keydown",
      (event) => {
        if (!root.isConnected) controller.abort();
        else this.#shortcut(event);
      },
      { signal: controller.signal },
    );
  }

  /**
   * A change that can be taken back. Changes of one tag in a row are taken back together.
   *
   * @param {string} tag
   * @param {(answer: Answer) => void} act
   */
  change(tag, act) {
    const before = JSON.stringify(this.answer);
    act(this.answer);
    if (JSON.stringify(this.answer) !== before) {
      if (!tag || this.#past.at(-1)?.tag !== tag) this.#past.push({ tag, answer: before });
      this.#future = [];
      this.page.changed();
    }
    this.show();
  }

  undo() {
    const last = this.#past.pop();
    if (!last) return;
    this.#future.push(JSON.stringify(this.answer));
    this.#take(last.answer, gettext("Undone."));
  }

  redo() {
    const next = this.#future.pop();
    if (next === undefined) return;
    this.#past.push({ tag: "", answer: JSON.stringify(this.answer) });
    this.#take(next, gettext("Done again."));
  }

  /** The page as the answer has it. */
  show() {
    element(this.root, "[data-undo]", HTMLButtonElement).disabled = this.#past.length === 0;
    element(this.root, "[data-redo]", HTMLButtonElement).disabled = this.#future.length === 0;
    this.draw();
  }

  /**
   * @param {string} answer
   * @param {string} said
   */
  #take(answer, said) {
    this.answer = JSON.parse(answer);
    this.page.changed();
    this.show();
    this.page.announce(said);
  }

  /** @param {KeyboardEvent} event */
  #shortcut(event) {
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") this.drop();
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "enter") this.submit();
    else if (key === "z" && !event.shiftKey) this.undo();
    else if (key === "y" || (key === "z" && event.shiftKey)) this.redo();
    else return;
    event.preventDefault();
  }
}

/** A search in the texts of a page: an input ``[data-find]``, how many there are beside it, Enter for the next one. */
export class Finder {
  /** @type {{ field: Field, part: Part }[]} */
  #hits = [];
  #at = -1;

  /**
   * @param {HTMLElement} root
   * @param {Field[]} fields
   * @param {{ draw: () => void, announce: (text: string) => void }} page
   */
  constructor(root, fields, { draw, announce }) {
    this.input = element(root, "[data-find]", HTMLInputElement);
    this.output = element(root, "[data-found]");
    this.input.addEventListener("input", () => {
      this.#search(fields);
      draw();
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Escape") {
        this.input.value = "";
        this.#search(fields);
        draw();
        this.input.blur();
      } else if (event.key === "Enter" && this.#hits.length) {
        event.preventDefault();
        this.#at = (this.#at + (event.shiftKey ? -1 : 1) + this.#hits.length) % this.#hits.length;
        draw();
        const { field } = this.#hits[this.#at];
        field.element.querySelector("mark.found-now")?.scrollIntoView({ block: "center" });
        this.#say();
        announce(this.output.textContent ?? "");
      }
    });
  }

  /**
   * What is found in a text, to be drawn with what is marked in it.
   *
   * @param {Field} field
   * @returns {Mark[]}
   */
  marks(field) {
    return this.#hits.flatMap((hit, index) =>
      hit.field === field
        ? [{ id: "", parts: [hit.part], look: index === this.#at ? "found found-now" : "found" }]
        : [],
    );
  }

  /** @param {Field[]} fields */
  #search(fields) {
    const wanted = this.input.value.trim().toLocaleLowerCase();
    this.#at = -1;
    this.#hits = wanted ? fields.flatMap((field) => hitsIn(field.text, wanted).map((part) => ({ field, part }))) : [];
    this.#say();
  }

  #say() {
    const count = this.#hits.length;
    if (!this.input.value.trim()) this.output.textContent = "";
    else if (this.#at >= 0) this.output.textContent = gettext("{n} of {all} found", { n: this.#at + 1, all: count });
    else this.output.textContent = gettext("{all} found", { all: count });
  }
}

/**
 * Where words stand in a text, in code points, whatever their case.
 *
 * @param {string} text
 * @param {string} wanted in small letters
 * @returns {Part[]}
 */
export function hitsIn(text, wanted) {
  // Letter by letter: some letters become two when they are made small, and places must stay places of the text.
  const letters = [...text];
  const small = letters.map((letter) => letter.toLocaleLowerCase());
  const sought = [...wanted].join("");
  /** @type {Part[]} */
  const found = [];
  for (let start = 0; start < letters.length; start += 1) {
    let seen = "";
    let end = start;
    while (end < letters.length && seen.length < sought.length) {
      seen += small[end];
      end += 1;
    }
    if (seen === sought) {
      found.push([start, end]);
      start = end - 1;
    }
  }
  return found;
}

/**
 * Words of a text that stand in none of these parts, as stretches: what lies between two words of a stretch has no word either.
 *
 * @param {SpanTexts} texts
 * @param {Field} field
 * @param {Part[]} covered
 * @returns {Part[]}
 */
export function uncovered(texts, field, covered) {
  const place = texts.offsets(field);
  /** @type {Part[]} */
  const stretches = [];
  let isOpen = false;
  for (const word of place.words()) {
    if (!/[\p{L}\p{N}]/u.test(place.slice(word))) continue;
    const isCovered = covered.some(([start, end]) => start <= word[0] && word[1] <= end);
    if (isCovered) isOpen = false;
    else if (isOpen) stretches[stretches.length - 1][1] = word[1];
    else {
      stretches.push([...word]);
      isOpen = true;
    }
  }
  return stretches;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/**
 * @param {string} label
 * @param {() => void} act
 * @param {Record<string, string>} [attributes]
 * @param {string} [key] that does the same
 */
export function button(label, act, attributes = {}, key = "") {
  const made = make("button", { type: "button", class: "button quiet small", ...attributes }, label);
  if (key) made.append(" ", make("span", { class: "key" }, key));
  made.addEventListener("click", act);
  return made;
}

/**
 * A field for a line of words, such as a nugget or a label.
 *
 * @param {string} value
 * @param {Record<string, string>} attributes
 */
export function line(value, attributes) {
  const field = make("textarea", { rows: "1", class: "grows", dir: "auto", autocomplete: "off", ...attributes });
  field.value = value;
  return lineField(field);
}

/**
 * What is typed, as it is typed. Letters that are composed of several keys (Chinese, Japanese, Korean) come when they are whole:
 * to draw the input anew before would break them off.
 *
 * @param {HTMLInputElement | HTMLTextAreaElement} input
 * @param {() => void} act
 */
export function typed(input, act) {
  input.addEventListener("input", (event) => {
    if (!(event instanceof InputEvent && event.isComposing)) act();
  });
  input.addEventListener("compositionend", act);
}

/**
 * Draw anew what has the focus, and give it back: to the control of the same ``data-keep``, with its caret.
 *
 * @param {HTMLElement} root
 * @param {() => void} draw
 */
export function kept(root, draw) {
  const focused = document.activeElement;
  const name = focused instanceof HTMLElement && root.contains(focused) ? focused.dataset.keep : undefined;
  const caret = focused instanceof HTMLTextAreaElement ? focused.selectionStart : null;
  draw();
  if (!name) return;
  const again = root.querySelector(`[data-keep="${CSS.escape(name)}"]`);
  if (!(again instanceof HTMLElement)) return;
  again.focus({ preventScroll: true });
  if (again instanceof HTMLTextAreaElement && caret !== null) again.setSelectionRange(caret, caret);
}

/**
 * What the page says under the work: what to do next, or what is wrong.
 *
 * @param {HTMLElement} hint
 */
export function sayer(hint) {
  return (/** @type {string} */ message, isProblem = true) => {
    hint.textContent = message;
    hint.classList.toggle("problem", Boolean(message) && isProblem);
  };
}

/**
 * The one before or after in a list, round and round; with none chosen, the last or the first.
 *
 * @template {{ id: string }} Entry
 * @param {Entry[]} list that has some
 * @param {string} chosen its id
 * @param {1 | -1} by
 */
export function beside(list, chosen, by) {
  const at = list.findIndex(({ id }) => id === chosen);
  return list[at < 0 ? (by > 0 ? 0 : list.length - 1) : (at + by + list.length) % list.length];
}
