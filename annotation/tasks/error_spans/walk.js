// One unit after the other: which is current, and with ``reveal: stepwise`` how far the document is open.

import { element, elements } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";

/** @import { SpanTexts } from "../../../static/assess/spans.js" */
/** @import { Model } from "./model.js" */
/** @import { Sheet, UnitField } from "./sheet.js" */

export class Walk {
  /**
   * @param {Sheet} sheet
   * @param {Model} model
   * @param {() => SpanTexts} texts
   * @param {{ left: (place: number, number: number) => void, submitWord: string }} page ``left``: a unit was left for another
   */
  constructor(sheet, model, texts, page) {
    this.sheet = sheet;
    this.model = model;
    this.texts = texts;
    this.page = page;
    const first = model.asked().find(([place, number]) => model.unitLacks(place, number));
    /** @type {{ place: number, number: number }} */
    this.current = first ? { place: first[0], number: first[1] } : { place: 0, number: sheet.content.numbers[0][0] };
    const isStepwise = sheet.content.reveal === "stepwise";
    this.opened = first && isStepwise ? first[1] : Number.POSITIVE_INFINITY; // the last unit that is open
  }

  get key() {
    return `${this.current.place}.${this.current.number}`;
  }

  get name() {
    return this.sheet.unitName(this.current.place, this.current.number);
  }

  /** Whether units are still closed. */
  get isMore() {
    return this.sheet.content.reveal === "stepwise" && this.model.asked().some(([, number]) => number > this.opened);
  }

  draw() {
    const { content, root } = this.sheet;
    if (content.reveal !== "stepwise") return;
    for (const line of elements(root, content.aligned ? ".line" : ".judged .cell")) {
      const number = Number(line.dataset.line ?? line.dataset.unit);
      line.hidden = number > this.opened;
    }
    for (const whole of elements(root, ".whole")) whole.hidden = this.opened !== Number.POSITIVE_INFINITY;
    element(root, "[data-primary-word]").textContent = this.isMore ? gettext("Next unit") : this.page.submitWord;
  }

  openAll() {
    this.opened = Number.POSITIVE_INFINITY;
    this.draw();
  }

  /** @param {UnitField} field */
  enter(field) {
    const { place, number } = this.current;
    if (field.side === "source" || (place === field.place && number === field.number)) return;
    this.current = { place: field.place, number: field.number };
    for (const other of this.sheet.fields) other.cell.classList.toggle("current", other === field);
    this.page.left(place, number);
  }

  /**
   * @param {number} place
   * @param {number} number
   */
  goTo(place, number) {
    const field = this.sheet.fieldOf(place, number);
    if (!field) return;
    if (number > this.opened) this.opened = number;
    this.enter(field);
    this.draw();
    field.cell.scrollIntoView({ block: "nearest" });
    this.texts().focus(field);
  }

  /** Go to the next unit that is not done, whether it is behind or before; whether there is one. */
  goOn() {
    const units = this.model.asked();
    const at = this.#at(units);
    const open = [...units.slice(at + 1), ...units.slice(0, at)].find(([place, number]) =>
      this.model.unitLacks(place, number),
    );
    if (!open) return false;
    this.goTo(...open);
    return true;
  }

  /** Go to the unit before or after, if it is open; whether there is one. @param {1 | -1} by */
  move(by) {
    const units = this.model.asked();
    const next = units[this.#at(units) + by];
    if (!next || next[1] > this.opened) return false;
    this.goTo(...next);
    return true;
  }

  /** @param {[place: number, number: number][]} units */
  #at(units) {
    return units.findIndex(([place, number]) => place === this.current.place && number === this.current.number);
  }
}
