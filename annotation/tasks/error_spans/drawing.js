// The answer as it stands, drawn over the sheet: errors in the texts, in the lists under them, and how much is done.

import { element, elements, langOf } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";
import { button, make } from "./make.js";
import { idOf } from "./model.js";
import { spanLook, spanWords } from "./units.js";

/** @import { SpanTexts } from "../../../static/assess/spans.js" */
/** @import { Model, Ref } from "./model.js" */
/** @import { Sheet, UnitField } from "./sheet.js" */

/**
 * @typedef {object} View
 * @property {string} lit the error that the box is about, or that [ and ] came to
 * @property {{ place: number, number: number }} current unit
 * @property {(ref: Ref) => void} open an error
 */

/** What an element shows: a long document has hundreds, and a change is about one of them. @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/**
 * @param {Element} element
 * @param {unknown} what it is to show
 * @param {() => void} draw
 */
function drawIfNew(element, what, draw) {
  const said = JSON.stringify(what);
  if (shown.get(element) === said) return;
  shown.set(element, said);
  draw();
}

/**
 * @param {Sheet} sheet
 * @param {Model} model
 * @param {SpanTexts} texts
 * @param {View} view
 */
export function answerDraw(sheet, model, texts, view) {
  const refs = model.all();
  for (const field of sheet.fields) {
    if (field.resting) continue;
    const own = refs.filter(
      (ref) =>
        ref.number === field.number &&
        model.span(ref).side === field.side &&
        (field.side === "source" || ref.place === field.place),
    );
    const marks = own.map((ref) => ({
      id: idOf(ref),
      parts: model.span(ref).parts,
      look: spanLook(model, ref, view.lit === idOf(ref)),
    }));
    drawIfNew(field.element, marks, () => texts.draw(field, marks));
    const list = sheet.sourceLists.get(field.number);
    if (field.side === "source" && list)
      listDraw(list, firstOfGroups(model, own), field, { sheet, model, texts, view });
  }
  for (const place of sheet.places) {
    for (const number of model.numbers(place)) {
      const foot = sheet.feet.get(`${place}.${number}`);
      const field = sheet.fieldOf(place, number);
      if (!foot || !field) continue;
      const own = refs.filter(
        (ref) => ref.place === place && ref.number === number && model.span(ref).side !== "source",
      );
      listDraw(foot.list, own, field, { sheet, model, texts, view });
      foot.draw(model, place, number);
      field.cell.classList.toggle("done", !model.unitLacks(place, number));
      field.cell.classList.toggle("current", view.current.place === place && view.current.number === number);
    }
  }
  preferenceDraw(sheet.root, model);
  standingDraw(sheet, model);
}

/**
 * @param {Model} model
 * @param {Ref[]} refs
 */
function firstOfGroups(model, refs) {
  const seen = new Set();
  return refs.filter((ref) => {
    const key = model.group(ref).map(idOf).join(" ");
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/**
 * @param {HTMLElement} list
 * @param {Ref[]} refs
 * @param {UnitField} field
 * @param {{ sheet: Sheet, model: Model, texts: SpanTexts, view: View }} page
 */
function listDraw(list, refs, field, page) {
  const { model, view } = page;
  const errors = refs.map((ref) => [
    idOf(ref),
    model.span(ref),
    spanLook(model, ref, view.lit === idOf(ref)),
    lettersOf(ref, field, page),
  ]);
  drawIfNew(list, errors, () => buttonsMake(list, refs, field, page));
}

/**
 * Of an error in the source, the outputs that it concerns.
 *
 * @param {Ref} ref
 * @param {UnitField} field
 * @param {{ sheet: Sheet, model: Model }} page
 */
function lettersOf(ref, field, { sheet, model }) {
  if (!sheet.several || field.side !== "source") return [];
  return model.group(ref).map(({ place }) => sheet.content.letters[place]);
}

/**
 * @param {HTMLElement} list
 * @param {Ref[]} refs
 * @param {UnitField} field
 * @param {{ sheet: Sheet, model: Model, texts: SpanTexts, view: View }} page
 */
function buttonsMake(list, refs, field, { sheet, model, texts, view }) {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.error : undefined;
  list.replaceChildren(
    ...refs.map((ref) => {
      const made = button("", {
        look: `error-button ${spanLook(model, ref, view.lit === idOf(ref))}`,
        act: () => view.open(ref),
        "data-error": idOf(ref),
      });
      const letters = lettersOf(ref, field, { sheet, model });
      const words = { text: texts.wordsOf(field, model.span(ref).parts), lang: langOf(field.element) };
      made.append(...spanWords(model, ref, words, letters));
      return make("li", {}, made);
    }),
  );
  const again = focused ? list.querySelector(`[data-error="${focused}"]`) : null;
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/**
 * @param {HTMLElement} root
 * @param {Model} model
 */
function preferenceDraw(root, model) {
  const { winner, tie } = model.answer.preference;
  for (const choice of elements(root, "[data-winner]")) {
    const is = choice.dataset.winner === "null" ? tie : Number(choice.dataset.winner) === winner && winner !== null;
    choice.setAttribute("aria-pressed", String(is));
  }
}

/**
 * How much is done; as long as nothing is marked, how to do it.
 *
 * @param {Sheet} sheet
 * @param {Model} model
 */
function standingDraw({ root, content }, model) {
  const units = model.asked();
  const done = units.filter(([place, number]) => !model.unitLacks(place, number)).length;
  const errors = model.answer.outputs
    .flatMap((output) => output.units)
    .reduce((sum, unit) => sum + model.live(unit).length, 0);
  const isNew = !errors && done < units.length && content.span === "required";
  const marked = isNew ? wayToMark() : ngettext("{n} error marked", "{n} errors marked", errors);
  const standing = ngettext("{done} of {n} unit done", "{done} of {n} units done", units.length, { done });
  const scores = model.scoresOpen();
  const open = scores ? [ngettext("{n} score to give", "{n} scores to give", scores)] : [];
  element(root, "#standing").textContent = [standing, marked, ...open].join(" · ");
  element(root, "[data-undo]", HTMLButtonElement).disabled = !model.canUndo;
  element(root, "[data-redo]", HTMLButtonElement).disabled = !model.canRedo;
}

function wayToMark() {
  return matchMedia("(pointer: coarse)").matches
    ? gettext("tap an error’s first and last word")
    : gettext("drag over what is wrong, or click its first and last word");
}
