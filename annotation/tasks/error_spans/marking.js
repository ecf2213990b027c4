// Marking errors: what happens with words that were selected, what the box changes, how errors are removed, kept and gone through.

import { elements, langOf } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";
import { Box } from "./box.js";
import { idOf, refOf, spanOf } from "./model.js";

/** @import { Page } from "../page" */
/** @import { Part } from "../../../static/assess/offsets.js" */
/** @import { SpanTexts } from "../../../static/assess/spans.js" */
/** @import { Model, Ref, Span } from "./model.js" */
/** @import { Sheet, UnitField } from "./sheet.js" */

/**
 * @typedef {object} Desk what marking needs of the page
 * @property {Sheet} sheet
 * @property {Model} model
 * @property {() => SpanTexts} texts
 * @property {Page} page
 * @property {(tag: string, act: () => void) => void} change
 * @property {() => void} draw
 * @property {(place: number, number: number) => void} described an error of the unit was described
 */

export class Marking {
  lit = ""; // the error that the box is about, or that [ and ] came to
  /** What the box is about. @type {{ ref: Ref, isNew: boolean } | null} */
  #boxed = null;
  /** The error to which the next words are added. @type {Ref | null} */
  #extending = null;
  #comesBack = true; // whether the focus goes back to the text when the box closes

  /** @param {Desk} desk */
  constructor(desk) {
    this.desk = desk;
    this.sheet = desk.sheet;
    this.content = desk.sheet.content;
    this.model = desk.model;
    this.box = new Box(this.sheet.root, this.content, {
      set: (fields) => this.#boxSet(fields),
      toggle: (letter) => this.#boxToggle(letter),
      lacks: () => (this.#boxed ? this.model.lacks(this.model.span(this.#boxed.ref)) : ""),
      remove: () => this.#boxed && this.remove(this.#boxed.ref),
      more: () => this.#boxMore(),
      closed: (dropped) => this.#boxClosed(dropped),
    });
    const outside = (/** @type {PointerEvent} */ event) => {
      if (!this.sheet.root.isConnected) document.removeEventListener("pointerdown", outside, { capture: true });
      else this.#outside(event);
    };
    document.addEventListener("pointerdown", outside, { capture: true });
  }

  // --- selecting ----------------------------------------------------------------------------------------------------

  /**
   * @param {UnitField} field
   * @param {Part} part
   */
  selected(field, part) {
    this.sheet.problemHide();
    if (this.#extending) return this.#extend(field, part, this.#extending);
    if (this.#isMoreOf(field, part)) this.box.close(true);
    const { place, number } = field;
    const span = spanOf({ parts: [part], side: field.side });
    const twin = this.model.twin(place, number, span);
    if (twin >= 0) return this.open({ place, number, index: twin });
    this.#add(place, number, span);
  }

  /**
   * Whether the words hold those that the box is just asking about: of three clicks, two take a word and the third the unit.
   *
   * @param {UnitField} field
   * @param {Part} part
   */
  #isMoreOf(field, [start, end]) {
    if (!this.#boxed?.isNew || this.sheet.fieldOfSpan(this.model, this.#boxed.ref) !== field) return false;
    return this.model.span(this.#boxed.ref).parts.every(([from, to]) => start <= from && to <= end);
  }

  /**
   * @param {UnitField} field
   * @param {string} id
   */
  clicked(field, id) {
    const ref = refOf(id);
    this.#extending = null;
    if (this.model.span(ref)) this.open(ref);
    else this.desk.texts().focus(field);
  }

  /**
   * @param {number} place
   * @param {number} number
   * @param {Span} span
   */
  #add(place, number, span) {
    const { model } = this;
    const wrong = model.refusal(place, number, span);
    if (wrong) return this.sheet.problemShow(`${place}.${number}`, wrong);
    this.box.close();
    model.settle();
    /** @type {Ref} */
    let ref = { place, number, index: 0 };
    this.desk.change("box", () => {
      ref = model.add(place, number, span);
      if (span.side === "source" && this.content.names_outputs) {
        for (const other of this.sheet.places) if (other !== place) model.add(other, number, { ...span });
      }
    });
    this.open(ref, true);
  }

  /**
   * @param {UnitField} field
   * @param {Part} part
   * @param {Ref} ref
   */
  #extend(field, part, ref) {
    this.#extending = null;
    if (this.sheet.fieldOfSpan(this.model, ref) !== field) {
      this.desk.page.announce(gettext("Words of one error stand in one text."));
      return this.open(ref);
    }
    this.desk.change("", () => {
      for (const each of this.model.group(ref)) this.model.extend(each, [part]);
    });
    this.open(ref);
  }

  /** Nothing is added to an error any more; whether something was to be. */
  stopExtending() {
    const was = this.#extending !== null;
    this.#extending = null;
    return was;
  }

  // --- without selecting --------------------------------------------------------------------------------------------

  /**
   * @param {number} place
   * @param {number} number
   */
  missing(place, number) {
    this.#add(place, number, spanOf({ side: "missing", category: this.content.omission_category }));
  }

  /**
   * @param {number} place
   * @param {number} number
   */
  none(place, number) {
    const unit = this.model.unit(place, number);
    const name = this.sheet.unitName(place, number);
    if (unit.spans.length)
      return this.sheet.problemShow(`${place}.${number}`, gettext("{name} has errors; remove them first.", { name }));
    this.sheet.problemHide();
    this.desk.change("", () => {
      unit.none = !unit.none;
    });
    this.desk.page.announce(
      unit.none ? gettext("{name}: no errors.", { name }) : gettext("{name} is open again.", { name }),
    );
  }

  /**
   * A category without words takes the whole unit.
   *
   * @param {UnitField} field
   * @param {string} category
   */
  category(field, category) {
    this.#extending = null;
    const { place, number } = field;
    const { change, page, texts } = this.desk;
    const span = spanOf({ parts: [[0, texts().offsets(field).length]], category });
    const twin = this.model.twin(place, number, span);
    if (twin >= 0) {
      change("", () => this.model.remove({ place, number, index: twin }));
      page.announce(`${category} removed.`);
    } else if (this.content.severities.length || this.content.question) this.#add(place, number, span);
    else {
      const wrong = this.model.refusal(place, number, span);
      if (wrong) return this.sheet.problemShow(`${place}.${number}`, wrong);
      change("", () => this.model.add(place, number, span));
      page.announce(`${this.sheet.unitName(place, number)}: ${category}.`);
    }
  }

  /** @param {Ref} ref */
  remove(ref) {
    const field = this.sheet.fieldOf(ref.place, ref.number);
    this.#extending = null;
    this.desk.change("", () => {
      for (const each of this.model.group(ref).reverse()) this.model.remove(each);
    });
    this.forget();
    this.desk.page.announce(gettext("Removed. Control+Z brings it back."));
    if (field) this.desk.texts().focus(field);
  }

  /** @param {Ref} ref */
  keep(ref) {
    this.desk.change("", () => {
      this.model.span(ref).kept = true;
    });
    this.desk.page.announce(gettext("Kept."));
  }

  /** The error before or after the one that is lit. @param {1 | -1} by */
  step(by) {
    const all = elements(this.sheet.root, ".error-button").filter((each) => each.offsetParent !== null);
    if (!all.length) return this.desk.page.announce(gettext("No errors are marked."));
    const at = all.findIndex((each) => each.dataset.error === this.lit);
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    this.lit = next.dataset.error ?? "";
    this.desk.draw();
    const again = this.sheet.root.querySelector(`.error-button[data-error="${this.lit}"]`);
    if (!(again instanceof HTMLElement)) return;
    again.focus();
    this.desk.page.announce(again.textContent ?? "");
  }

  // --- the box ------------------------------------------------------------------------------------------------------

  /**
   * @param {Ref} ref
   * @param {boolean} [isNew]
   */
  open(ref, isNew = false) {
    this.#extending = null; // whoever looks at an error adds no more words to another one, whose number may change
    if (this.#boxed && idOf(this.#boxed.ref) !== idOf(ref)) this.box.close();
    const isStillNew = isNew || Boolean(this.#boxed?.isNew); // a third click is on words that two have marked
    if (!isStillNew) this.model.settle();
    this.#boxed = { ref, isNew: isStillNew };
    this.lit = idOf(ref);
    this.desk.draw();
    this.box.open(this.#asked(ref, isStillNew));
  }

  /** The box closes without a word about what it was about. */
  forget() {
    this.#boxed = null;
    this.box.close();
  }

  /**
   * @param {Ref} ref
   * @param {boolean} isNew
   */
  #asked(ref, isNew) {
    const span = this.model.span(ref);
    const texts = this.desk.texts();
    const field = this.#fieldNear(ref);
    const words =
      span.side === "missing" ? gettext("Something is missing") : `“${field ? texts.wordsOf(field, span.parts) : ""}”`;
    const button = () => this.sheet.root.querySelector(`[data-error="${idOf(ref)}"]`);
    return {
      span,
      words,
      lang: langOf(span.side === "missing" || !field ? document.documentElement : field.element),
      letters: this.model.group(ref).map(({ place }) => this.content.letters[place]),
      isNew,
      where: () => /** @type {HTMLElement | null} */ ((field && (texts.markOf(field, idOf(ref)) ?? button())) || null),
    };
  }

  /** The text that an error is in; of something missing the unit that lacks it. @param {Ref} ref */
  #fieldNear(ref) {
    return this.sheet.fieldOfSpan(this.model, ref) ?? this.sheet.fieldOf(ref.place, ref.number);
  }

  /** @param {Partial<Span>} fields @returns {string} */
  #boxSet(fields) {
    if (!this.#boxed) return "";
    const { ref, isNew } = this.#boxed;
    const { model, content } = this;
    const span = model.span(ref);
    const wanted = { ...span, ...fields };
    if (fields.category && content.whole_unit.includes(fields.category)) {
      if (span.side !== "output")
        return gettext("{category} takes the whole unit of the output.", { category: fields.category });
      const field = this.sheet.fieldOf(ref.place, ref.number);
      wanted.parts = [[0, field ? this.desk.texts().offsets(field).length : 0]];
      wanted.severity = content.heaviest;
    }
    if (fields.category && model.twin(ref.place, ref.number, wanted, ref.index) >= 0)
      return gettext("These words are marked so already.");
    this.desk.change("box", () => {
      for (const each of model.group(ref))
        Object.assign(model.span(each), wanted, { suggestion: model.span(each).suggestion });
    });
    if (!("note" in fields)) this.box.draw(this.#asked(ref, isNew));
    return "";
  }

  /** An output has the error of the source, or not. @param {string} letter */
  #boxToggle(letter) {
    if (!this.#boxed) return;
    const { ref, isNew } = this.#boxed;
    const { model } = this;
    const place = this.content.letters.indexOf(letter);
    const group = model.group(ref);
    const own = group.find((each) => each.place === place);
    if (own && group.length === 1) return;
    this.desk.change("box", () => {
      if (own) model.remove(own);
      else
        model.add(place, ref.number, {
          ...model.span(ref),
          parts: model.span(ref).parts.map(([a, b]) => [a, b]),
          suggestion: null,
        });
    });
    if (own && idOf(own) === idOf(ref)) this.#boxed.ref = group.find((each) => each.place !== place) ?? ref;
    this.lit = idOf(this.#boxed.ref);
    this.desk.draw();
    this.box.draw(this.#asked(this.#boxed.ref, isNew));
  }

  #boxMore() {
    if (!this.#boxed) return;
    const { ref } = this.#boxed;
    this.box.close();
    this.#extending = ref;
    const field = this.sheet.fieldOfSpan(this.model, ref);
    if (field) this.desk.texts().focus(field);
    this.desk.page.announce(gettext("Select the words to add. Escape leaves it as it is."));
    this.sheet.hintSay(gettext("Select the words to add to this error."));
  }

  /** @param {boolean} dropped */
  #boxClosed(dropped) {
    const was = this.#boxed;
    const { model } = this;
    const { page, draw, texts } = this.desk;
    this.#boxed = null;
    this.lit = "";
    if (!was || !model.span(was.ref)) return draw();
    const field = this.#fieldNear(was.ref);
    if (dropped && was.isNew) {
      // A score may have been given meanwhile, by keys: that stays.
      if (!model.undoTagged("box"))
        model.change("", () => {
          for (const each of model.group(was.ref).reverse()) model.remove(each);
        });
      model.settle();
      page.changed();
      page.announce(gettext("Dropped."));
    } else {
      const { parts, severity, category } = model.span(was.ref);
      page.announce([field ? texts().wordsOf(field, parts) : "", severity, category].filter(Boolean).join(", "));
    }
    model.settle();
    draw();
    if (field && this.#comesBack) texts().focus(field);
    if (!dropped) this.desk.described(was.ref.place, was.ref.number);
  }

  /** A click beside the box and the words it is about closes it; what is marked stays, described or not. @param {PointerEvent} event */
  #outside(event) {
    if (!this.box.isOpen || !(event.target instanceof Element) || event.target.closest("#span-box")) return;
    const mark = event.target.closest("mark");
    if (mark instanceof HTMLElement && mark.dataset.marks?.split(" ").includes(this.lit)) return;
    this.#comesBack = false;
    this.box.close();
    this.#comesBack = true;
  }
}
