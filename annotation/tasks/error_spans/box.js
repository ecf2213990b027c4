// The box at a span: severity, category, note and question, one after the other; it closes when nothing is left to ask.

import { element } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";
import { button, make } from "./make.js";
import { matching } from "./model.js";

/** @import { Content, Span } from "./model.js" */

/**
 * @typedef {object} Asked what the box is about
 * @property {Span} span as it is now
 * @property {string} words
 * @property {string} lang of the words
 * @property {string[]} letters of the outputs that it is about, where it can be about several
 * @property {boolean} isNew
 * @property {() => HTMLElement | null} where it stands on the page
 */

/**
 * @typedef {object} Handlers
 * @property {(fields: Partial<Span>) => string} set something was answered; what is wrong with it, if anything
 * @property {(letter: string) => void} toggle an output has the error, or not
 * @property {() => string} lacks the next thing to ask
 * @property {() => void} remove
 * @property {() => void} more words are to be added
 * @property {(dropped: boolean) => void} closed
 */

const UNDER_THE_THUMB = "(max-width: 800px)"; // where the style puts it
const ROOM = 16; // pixels between the words and the box

export class Box {
  /** @type {Asked | null} */
  #asked = null;
  #shut = () => this.#place();

  /**
   * @param {HTMLElement} root
   * @param {Content} content
   * @param {Handlers} handlers
   */
  constructor(root, content, handlers) {
    this.dialog = element(root, "#span-box", HTMLDialogElement);
    this.content = content;
    this.handlers = handlers;
    element(this.dialog, "[data-remove]").addEventListener("click", () => handlers.remove());
    element(this.dialog, "[data-more]").addEventListener("click", () => handlers.more());
    element(this.dialog, "[data-done]").addEventListener("click", () => this.#done());
    this.dialog.addEventListener("keydown", (event) => this.#key(event));
    this.dialog.addEventListener("cancel", (event) => event.preventDefault());
  }

  get isOpen() {
    return this.dialog.open;
  }

  /** @param {Asked} asked */
  open(asked) {
    this.#asked = asked;
    this.#say("");
    this.draw();
    if (!this.dialog.open) this.dialog.show();
    this.#place();
    this.#uncover();
    window.addEventListener("scroll", this.#shut, { capture: true, passive: true });
    window.addEventListener("resize", this.#shut);
    this.#ask(asked.isNew);
  }

  /** @param {boolean} [dropped] */
  close(dropped = false) {
    if (!this.dialog.open) return;
    window.removeEventListener("scroll", this.#shut, { capture: true });
    window.removeEventListener("resize", this.#shut);
    this.dialog.close();
    this.#asked = null;
    this.handlers.closed(dropped);
  }

  /** Show the span as it is now. @param {Asked} [asked] */
  draw(asked) {
    if (asked) this.#asked = asked;
    if (!this.#asked) return;
    const { span, words, lang, letters } = this.#asked;
    const { severities, categories, names_outputs: named, notes, question } = this.content;
    element(this.dialog, "#span-box-words").textContent = words;
    element(this.dialog, "#span-box-words").lang = lang;
    element(this.dialog, "[data-more]").hidden = span.side === "missing";
    const parts = [];
    if (named && span.side === "source") parts.push(this.#outputs(letters));
    if (severities.length) {
      const entries = severities.map(({ name }) => ({ name, value: name }));
      parts.push(this.#choices("Severity", entries, span.severity, (severity) => this.#set({ severity })));
    }
    if (categories === "free" || categories.length) parts.push(this.#categories(span));
    if (notes.includes(span.category)) parts.push(this.#note(span));
    if (question) parts.push(this.#question(span));
    const focused = this.dialog.contains(document.activeElement) ? document.activeElement : null;
    element(this.dialog, "[data-box]").replaceChildren(...parts);
    if (!this.dialog.open) return;
    this.#uncover();
    // What had the focus is made anew; without it, keys would go nowhere.
    if (focused instanceof HTMLElement && !focused.isConnected) this.#focusAgain(focused);
  }

  /** @param {HTMLElement} gone */
  #focusAgain({ dataset: { letter, choice } }) {
    const name = letter ? `[data-letter="${CSS.escape(letter)}"]` : `[data-choice="${CSS.escape(choice ?? "")}"]`;
    const again = this.dialog.querySelector(name) ?? element(this.dialog, "[data-done]");
    if (again instanceof HTMLElement) again.focus();
  }

  // --- parts ------------------------------------------------------------------------------------------------------

  /**
   * @param {string} name
   * @param {{ name: string, value: string }[]} entries
   * @param {string} chosen
   * @param {(value: string) => void} act
   * @param {boolean} [hasKeys]
   */
  #choices(name, entries, chosen, act, hasKeys = true) {
    const group = make("div", { class: "box-choices", role: "group", "aria-label": name });
    for (const [index, { name: label, value }] of entries.entries()) {
      const made = button("", {
        look: "choice-button",
        act: () => act(value),
        "aria-pressed": String(value === chosen),
        "data-choice": value,
      });
      if (hasKeys && index < 9) made.append(make("span", { class: "key" }, String(index + 1)), " ");
      made.append(label);
      if (hasKeys) made.dataset.key = String(index + 1);
      group.append(made);
    }
    return group;
  }

  /** @param {string[]} letters */
  #outputs(letters) {
    const group = make("div", { class: "box-choices", role: "group", "aria-label": gettext("Texts that it is about") });
    group.append(make("span", { class: "muted" }, gettext("Concerns")));
    for (const letter of this.content.letters) {
      group.append(
        button(letter, {
          look: "choice-button",
          act: () => this.handlers.toggle(letter),
          "aria-pressed": String(letters.includes(letter)),
          "data-letter": letter,
        }),
      );
    }
    return group;
  }

  /** @param {Span} span */
  #categories(span) {
    const { categories, severities } = this.content;
    if (categories !== "free" && !severities.length && categories.length <= 9) {
      const entries = categories.map((name) => ({ name, value: name }));
      const group = this.#choices(gettext("Category"), entries, span.category, (category) => this.#set({ category }));
      group.dataset.categories = "";
      return group;
    }
    const input = make("input", {
      type: "text",
      class: "box-search",
      "aria-label": categories === "free" ? gettext("Category") : gettext("Category: type to search"),
      placeholder: categories === "free" ? gettext("What kind of error?") : gettext("Category: type to search"),
      autocomplete: "off",
      spellcheck: "false",
      "data-category": "",
    });
    input.value = span.category;
    if (categories === "free") {
      input.dir = "auto";
      input.maxLength = 200;
      input.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.isComposing) return;
        event.preventDefault();
        event.stopPropagation();
        if (input.value.trim()) this.#set({ category: input.value.trim() });
      });
      return input;
    }
    return this.#search(input, categories, span);
  }

  /**
   * A combobox as WAI-ARIA describes it: the focus stays in the field, the arrows choose in the list.
   *
   * @param {HTMLInputElement} input
   * @param {string[]} categories
   * @param {Span} span
   */
  #search(input, categories, span) {
    const list = make("ul", { class: "box-list", role: "listbox", id: "span-box-list", "aria-label": "Categories" });
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", list.id);
    // Once one is chosen, the list leaves its room to what comes after it, until somebody asks for it again.
    let isOpen = !span.category;
    let isTyped = false;
    let active = Math.max(categories.indexOf(span.category), 0);
    /** @type {string[]} */
    let found = [];
    const show = () => {
      found = matching(categories, isTyped ? input.value : "");
      list.hidden = !isOpen;
      input.setAttribute("aria-expanded", String(isOpen));
      active = Math.min(active, Math.max(found.length - 1, 0));
      list.replaceChildren(
        ...found.map((name, index) => {
          const [branch, ...rest] = name.split("/");
          const option = make("li", {
            role: "option",
            id: `span-box-option-${index}`,
            "aria-selected": String(name === span.category),
            class: index === active ? "active" : null,
          });
          if (rest.length) option.append(make("span", { class: "muted" }, `${branch} / `), rest.join("/"));
          else option.append(branch);
          option.addEventListener("click", () => this.#set({ category: name }));
          return option;
        }),
      );
      input.setAttribute("aria-activedescendant", found.length ? `span-box-option-${active}` : "");
      list.children[active]?.scrollIntoView({ block: "nearest" });
    };
    input.addEventListener("input", () => {
      isOpen = isTyped = true;
      active = 0;
      show();
    });
    for (const kind of ["focus", "click"]) {
      input.addEventListener(kind, () => {
        if (!isOpen) input.select();
        isOpen = true;
        show();
      });
    }
    input.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        active = Math.min(Math.max(active + (event.key === "ArrowDown" ? 1 : -1), 0), found.length - 1);
        show();
      } else if (event.key === "Enter" && isOpen && found.length) this.#set({ category: found[active] });
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    show();
    return make("div", { class: "box-category" }, input, list);
  }

  /** @param {Span} span */
  #note(span) {
    const field = make("textarea", {
      rows: "2",
      maxlength: "10000",
      dir: "auto",
      "aria-label": gettext("Note"),
      "data-note": "",
    });
    field.value = span.note;
    field.placeholder = gettext("What is it?");
    field.addEventListener("input", () => this.handlers.set({ note: field.value }));
    return field;
  }

  /** @param {Span} span */
  #question(span) {
    const chosen = span.true === null ? "" : String(span.true);
    const entries = [
      { name: gettext("Yes"), value: "true" },
      { name: gettext("No"), value: "false" },
    ];
    const group = this.#choices(
      this.content.question,
      entries,
      chosen,
      (value) => this.#set({ true: value === "true" }),
      false,
    );
    group.prepend(make("span", { class: "box-question" }, this.content.question));
    for (const [index, key] of ["Y", "N"].entries()) {
      const made = group.querySelectorAll("button")[index];
      made.dataset.key = key.toLowerCase();
      made.append(" ", make("span", { class: "key" }, key));
    }
    return group;
  }

  // --- what happens -----------------------------------------------------------------------------------------------

  /** @param {Partial<Span>} fields */
  #set(fields) {
    const wrong = this.handlers.set(fields);
    this.#say(wrong);
    if (!wrong) this.#ask(true);
  }

  /** Go to what is asked next; with nothing left, close. @param {boolean} closes */
  #ask(closes) {
    const next = this.handlers.lacks();
    if (!next && closes) return this.close();
    const targets = {
      severity: "[data-choice]",
      category: "[data-category], [data-categories] [data-choice]",
      note: "[data-note]",
      question: ".box-question ~ button",
    };
    const selector = targets[/** @type {keyof typeof targets} */ (next)] ?? "[aria-pressed=true], [data-done]";
    const target = this.dialog.querySelector(selector);
    if (target instanceof HTMLElement) target.focus();
  }

  #done() {
    const next = this.handlers.lacks();
    if (next === "keep") this.handlers.set({ kept: true });
    if (next && next !== "keep") return this.#ask(false);
    this.close();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = /** @type {HTMLElement} */ (event.target);
    const isTyping = target.matches("input, textarea");
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "Escape") this.close(true);
    else if (key === "Enter" && target.matches("textarea")) {
      if (event.shiftKey) return;
      this.#done();
    } else if (key === "Enter" && !target.matches("button:not([data-done])")) this.#done();
    else if (isTyping) return;
    else if (key === "Delete" || key === "Backspace") this.handlers.remove();
    else if (key === "p" && this.#asked?.span.side !== "missing") this.handlers.more();
    else {
      const choice = this.dialog.querySelector(`[data-key="${CSS.escape(key)}"]`);
      if (!(choice instanceof HTMLElement)) return;
      choice.click();
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} text */
  #say(text) {
    const hint = element(this.dialog, "#span-box-hint");
    hint.textContent = text;
    hint.classList.toggle("problem", Boolean(text));
  }

  /** Under the thumb, the box may lie over the words that it asks about: then the page goes up. */
  #uncover() {
    const where = this.#asked?.where()?.getBoundingClientRect();
    const { top } = this.dialog.getBoundingClientRect();
    if (where && matchMedia(UNDER_THE_THUMB).matches && where.bottom > top - ROOM)
      window.scrollBy({ top: where.bottom - top + ROOM, behavior: "instant" });
  }

  /** Below the span, or above it where there is no room; on a narrow page the style puts it at the bottom. */
  #place() {
    const where = this.#asked?.where()?.getClientRects()[0];
    if (!where) return;
    const { offsetWidth: width, offsetHeight: height } = this.dialog;
    const left = Math.min(Math.max(where.left, 8), window.innerWidth - width - 8);
    const below = where.bottom + 8;
    const top = below + height + 8 <= window.innerHeight ? below : Math.max(8, where.top - height - 8);
    this.dialog.style.left = `${left}px`;
    this.dialog.style.top = `${top}px`;
  }
}
