// The sheet: the texts by column, what stands under each unit, what is asked of the whole, and where each of them is.

import { element, elements } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";
import { sliderMount } from "../../assess/slider.js";
import { button, make } from "./make.js";
import { unitFoot } from "./units.js";

/** @import { Field } from "../../../static/assess/spans.js" */
/** @import { Slider } from "../../../static/assess/slider.js" */
/** @import { Content, Model, Ref } from "./model.js" */
/** @import { Foot } from "./units.js" */

/** @typedef {Field & { place: number, number: number, side: "source" | "output", cell: HTMLElement }} UnitField */

/**
 * @typedef {object} Acts what can be done under a unit and at the end
 * @property {(field: UnitField) => void} entered
 * @property {(place: number, number: number) => void} none
 * @property {(place: number, number: number) => void} missing
 * @property {(field: UnitField, category: string) => void} category
 * @property {(tag: string, act: () => void) => void} change
 */

export class Sheet {
  /** Of units and of documents, by “place.number” and “place.document”. @type {Map<string, Foot>} */
  feet = new Map();
  /** By the same keys. @type {Map<string, Slider>} */
  sliders = new Map();
  /** Errors in the source, by unit. @type {Map<number, HTMLElement>} */
  sourceLists = new Map();

  /**
   * @param {HTMLElement} root
   * @param {Content} content
   * @param {(text: string) => void} announce
   */
  constructor(root, content, announce) {
    this.root = root;
    this.content = content;
    this.announce = announce;
    this.places = content.letters.map((_, place) => place);
    this.several = this.places.length > 1;
    if (!content.aligned) this.#freeMake();
    this.columns = this.#columnsMade();
    this.fields = this.columns.flat();
  }

  // --- the texts ----------------------------------------------------------------------------------------------------

  /** The texts by column: the source, then each output. */
  #columnsMade() {
    const { content } = this;
    const byNumber = new Map(content.rows.map((row) => [row.number, row]));
    /** @type {UnitField[][]} */
    const made = [[], ...this.places.map(() => [])];
    for (const cell of elements(this.root, ".cell")) {
      const side = cell.dataset.side === "source" ? "source" : "output";
      const place = Number(cell.dataset.place ?? 0);
      const number = Number(cell.dataset.unit);
      const row = byNumber.get(number);
      if (side === "output" && this.several) this.#letter(cell, content.letters[place]);
      made[side === "source" ? 0 : place + 1].push({
        element: element(cell, "[data-text]"),
        text: (side === "source" ? row?.source : row?.outputs[place]) ?? "",
        name: side === "source" ? gettext("Unit {number}, source", { number }) : this.unitName(place, number),
        resting: "context" in cell.dataset || (side === "source" && !content.marks_source),
        place,
        number,
        side,
        cell,
      });
    }
    return made.filter((column) => column.length);
  }

  /**
   * Where texts stand one below the other, each unit says which it is of; the style shows it there alone.
   *
   * @param {HTMLElement} cell
   * @param {string} letter
   */
  #letter(cell, letter) {
    const where = cell.querySelector(".unit-number") ?? cell;
    where.prepend(make("span", { class: "cell-letter", "aria-hidden": "true" }, letter));
  }

  /** Free columns: the units of an output one below the other. */
  #freeMake() {
    for (const column of elements(this.root, "[data-column]")) {
      const place = Number(column.dataset.column);
      for (const row of this.content.rows) {
        if (row.outputs[place] === null) continue;
        const text = make("div", { class: "reading as-written", dir: "auto", "data-text": "" });
        const cell = make(
          "section",
          {
            class: row.context ? "cell context" : "cell",
            "aria-label": gettext("Unit {number}", { number: row.number }),
            "data-side": "output",
            "data-place": String(place),
            "data-unit": String(row.number),
            "data-context": row.context ? "" : null,
          },
          make("span", { class: "unit-number number", "aria-hidden": "true" }, String(row.number)),
          text,
        );
        column.append(cell);
      }
    }
  }

  /**
   * @param {number} place
   * @param {number} number
   */
  unitName(place, number) {
    return this.several
      ? gettext("Unit {number} of {text}", { number, text: this.content.letters[place] })
      : gettext("Unit {number}", { number });
  }

  /**
   * @param {number} place
   * @param {number} number
   * @param {string} side
   */
  fieldOf(place, number, side = "output") {
    return this.fields.find(
      (field) =>
        field.number === number &&
        (side === "source" ? field.side === "source" : field.side === "output" && field.place === place),
    );
  }

  /**
   * The text that a span is in.
   *
   * @param {Model} model
   * @param {Ref} ref
   */
  fieldOfSpan(model, ref) {
    return this.fieldOf(ref.place, ref.number, model.span(ref).side);
  }

  // --- what stands under them -----------------------------------------------------------------------------------------

  /**
   * @param {Model} model
   * @param {Acts} acts
   */
  furnish(model, acts) {
    for (const field of this.fields) {
      if (field.resting) continue;
      if (field.side === "source") this.#sourceFurnish(field);
      else this.#unitFurnish(field, model, acts);
    }
    const end = this.root.querySelector("[data-end]") ?? elements(this.root, ".judged").at(-1);
    if (!(end instanceof HTMLElement)) return;
    if (this.content.document_score) for (const place of this.places) this.#documentFurnish(place, end, model, acts);
    if (this.content.preference) end.append(this.#preference(model, acts));
  }

  /** @param {UnitField} field */
  #sourceFurnish({ cell, number }) {
    const list = make("ul", {
      class: "found",
      "aria-label": gettext("Errors in the source, unit {number}", { number }),
    });
    cell.append(list);
    this.sourceLists.set(number, list);
  }

  /**
   * @param {UnitField} field
   * @param {Model} model
   * @param {Acts} acts
   */
  #unitFurnish(field, model, acts) {
    const { place, number, cell } = field;
    const foot = unitFoot(this.content, this.unitName(place, number), {
      none: () => acts.none(place, number),
      missing: () => acts.missing(place, number),
      category: (category) => acts.category(field, category),
    });
    cell.append(foot.root);
    cell.addEventListener("pointerdown", () => acts.entered(field));
    cell.addEventListener("focusin", () => acts.entered(field));
    const key = `${place}.${number}`;
    this.feet.set(key, foot);
    if (this.content.score && foot.slider)
      this.#sliderMake(foot.slider, key, this.content.score, () => model.unit(place, number), acts);
  }

  /**
   * @param {number} place
   * @param {HTMLElement} end
   * @param {Model} model
   * @param {Acts} acts
   */
  #documentFurnish(place, end, model, acts) {
    const { content } = this;
    const name = this.several
      ? gettext("{text} as a whole", { text: content.letters[place] })
      : gettext("The document as a whole");
    const foot = unitFoot({ ...content, score: content.scale, missing: false, span: "required" }, name, null);
    const row = make("section", { class: "whole", "data-document": String(place) }, make("h3", {}, name), foot.root);
    (content.aligned ? end : elements(this.root, ".judged")[place]).append(row);
    const key = `${place}.document`;
    this.feet.set(key, foot);
    if (foot.slider) this.#sliderMake(foot.slider, key, content.scale, () => model.answer.outputs[place], acts);
  }

  /**
   * @param {HTMLElement} row
   * @param {string} key
   * @param {{ low: number, high: number }} range
   * @param {() => { score: number | null }} scored
   * @param {Acts} acts
   */
  #sliderMake(row, key, range, scored, acts) {
    const slider = sliderMount(row, range, {
      value: scored().score,
      disabled: false,
      changed: (value) => acts.change(`score.${key}`, () => Object.assign(scored(), { score: value })),
    });
    this.sliders.set(key, slider);
  }

  /**
   * @param {Model} model
   * @param {Acts} acts
   */
  #preference(model, acts) {
    const choices = make("div", { class: "choices" });
    for (const [key, winner, label] of /** @type {[string, number | null, string][]} */ ([
      ["A", 0, gettext("A is better")],
      ["=", null, gettext("They are equal")],
      ["B", 1, gettext("B is better")],
    ])) {
      choices.append(
        button(label, {
          look: "choice-button",
          key,
          "data-key": key.toLowerCase(),
          "aria-pressed": "false",
          "data-winner": String(winner),
          act: () => acts.change("", () => Object.assign(model.answer.preference, { winner, tie: winner === null })),
        }),
      );
    }
    return make(
      "section",
      { class: "whole preference", role: "group", "aria-label": gettext("Which is better?") },
      make("h3", {}, gettext("Which is better?")),
      choices,
      make("p", { class: "hint" }),
    );
  }

  // --- what is said on it ---------------------------------------------------------------------------------------------

  /** @param {string} text */
  hintSay(text) {
    const hint = element(this.root, "#hint");
    hint.textContent = text;
    hint.classList.remove("problem");
  }

  /**
   * @param {string} field “place.number”, perhaps with more behind it
   * @param {string} message
   */
  problemShow(field, message) {
    this.problemHide();
    const foot = this.feet.get(field.split(".").slice(0, 2).join("."));
    const hint = foot?.hint ?? element(this.root, "#hint");
    hint.textContent = message;
    hint.classList.add("problem");
    foot?.root.closest(".cell, .whole")?.classList.add("problem");
    this.announce(message);
  }

  problemHide() {
    for (const hint of elements(this.root, ".hint.problem")) {
      hint.textContent = "";
      hint.classList.remove("problem");
    }
    for (const cell of elements(this.root, ".cell.problem, .whole.problem")) cell.classList.remove("problem");
    this.hintSay("");
  }
}
