// Error spans: words are selected (spans.js), a box asks what is wrong with them (box.js), unit by unit; model.js has the answer.

import { element, elements } from "../../assess/dom.js";
import { sliderMount } from "../../assess/slider.js";
import { spanTextsMount } from "../../assess/spans.js";
import { Box } from "./box.js";
import { button, make } from "./make.js";
import { Model, spanOf } from "./model.js";
import { spanLook, spanWords, unitFoot } from "./units.js";

/** @import { KeyLine, Mount } from "../page" */
/** @import { Field } from "../../../static/assess/spans.js" */
/** @import { Part } from "../../../static/assess/offsets.js" */
/** @import { Slider } from "../../../static/assess/slider.js" */
/** @import { Answer, Content, Ref, Span } from "./model.js" */
/** @import { Foot } from "./units.js" */

/** @typedef {Field & { place: number, number: number, side: "source" | "output", cell: HTMLElement }} UnitField */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const model = new Model(content, answer);
  const places = content.letters.map((_, place) => place);
  const several = places.length > 1;
  /** @type {Map<string, Foot>} */
  const feet = new Map(); // of units, by “place.number”
  /** @type {Map<number, HTMLElement>} */
  const sourceLists = new Map();
  /** @type {Map<string, Slider>} */
  const sliders = new Map();
  /** @type {{ ref: Ref, isNew: boolean } | null} */
  let boxed = null; // what the box is about
  /** @type {Ref | null} */
  let extending = null; // the error to which the next words are added
  /** @type {{ place: number, number: number }} */
  let current = { place: 0, number: content.numbers[0][0] };
  let opened = 0; // stepwise: the last unit that is open
  const asked = new Set(); // units whose low score without errors was asked about
  let lit = ""; // the error that the box is about, or that [ and ] came to
  let comesBack = true; // whether the focus goes back to the text when the box closes

  const columns = fieldsMade();
  const fields = columns.flat();
  const texts = spanTextsMount(columns, {
    snap: content.snap,
    announce: page.announce,
    selected: (field, part) => selected(/** @type {UnitField} */ (field), part),
    opened: (field, id) => openId(/** @type {UnitField} */ (field), id),
    entered: (field) => unitEnter(/** @type {UnitField} */ (field)),
  });
  const box = new Box(root, content, {
    set: boxSet,
    toggle: boxToggle,
    lacks: () => (boxed ? model.lacks(model.span(boxed.ref)) : ""),
    remove: () => boxed && remove(boxed.ref),
    more: boxMore,
    closed: boxClosed,
  });
  footsMake();
  endMake();
  element(root, "[data-undo]").addEventListener("click", undo);
  element(root, "[data-redo]").addEventListener("click", redo);
  element(root, "[data-primary]").addEventListener("click", submit);
  document.addEventListener("keydown", shortcuts);
  document.addEventListener("pointerdown", outside, { capture: true });
  openedFind();
  draw();
  if (content.injected) injectedSay(content.injected);

  // --- the page ---------------------------------------------------------------------------------------------------

  /** The texts by column: the source, then each output. */
  function fieldsMade() {
    if (!content.aligned) freeMake();
    const byNumber = new Map(content.rows.map((row) => [row.number, row]));
    /** @type {UnitField[][]} */
    const made = [[], ...places.map(() => [])];
    for (const cell of elements(root, ".cell")) {
      const side = cell.dataset.side === "source" ? "source" : "output";
      const place = Number(cell.dataset.place ?? 0);
      const number = Number(cell.dataset.unit);
      const row = byNumber.get(number);
      const text = (side === "source" ? row?.source : row?.outputs[place]) ?? "";
      const name =
        side === "source"
          ? `Unit ${number}, source`
          : `Unit ${number}${several ? ` of ${content.letters[place]}` : ""}`;
      const resting = "context" in cell.dataset || (side === "source" && !content.marks_source);
      made[side === "source" ? 0 : place + 1].push({
        element: element(cell, "[data-text]"),
        text,
        name,
        resting,
        place,
        number,
        side,
        cell,
      });
    }
    return made.filter((column) => column.length);
  }

  /** Free columns: the units of an output one below the other. */
  function freeMake() {
    for (const column of elements(root, "[data-column]")) {
      const place = Number(column.dataset.column);
      for (const row of content.rows) {
        if (row.outputs[place] === null) continue;
        const text = make("div", { class: "reading as-written", dir: "auto", "data-text": "" });
        const cell = make(
          "section",
          {
            class: row.context ? "cell context" : "cell",
            "aria-label": `Unit ${row.number}`,
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

  function footsMake() {
    for (const field of fields) {
      if (field.resting) continue;
      if (field.side === "source") {
        const list = make("ul", { class: "found", "aria-label": `Errors in the source, unit ${field.number}` });
        field.cell.append(list);
        sourceLists.set(field.number, list);
        continue;
      }
      const { place, number } = field;
      const name = unitName(place, number);
      const foot = unitFoot(content, name, {
        none: () => noneToggle(place, number),
        missing: () => missingAdd(place, number),
        category: (category) => categoryToggle(field, category),
      });
      field.cell.append(foot.root);
      feet.set(`${place}.${number}`, foot);
      field.cell.addEventListener("pointerdown", () => unitEnter(field));
      field.cell.addEventListener("focusin", () => unitEnter(field));
      if (content.score && foot.slider)
        sliderMake(foot.slider, `${place}.${number}`, content.score, () => model.unit(place, number));
    }
  }

  /**
   * @param {HTMLElement} row
   * @param {string} key
   * @param {{ low: number, high: number }} range
   * @param {() => { score: number | null }} scored
   */
  function sliderMake(row, key, range, scored) {
    const make = () =>
      sliders.set(
        key,
        sliderMount(row, range, {
          value: scored().score,
          disabled: false,
          changed: (value) => change(`score.${key}`, () => Object.assign(scored(), { score: value })),
        }),
      );
    make();
  }

  /** What is asked of the whole: scores of documents, and which is better. */
  function endMake() {
    const end = root.querySelector("[data-end]") ?? elements(root, ".judged").at(-1);
    if (!(end instanceof HTMLElement)) return;
    if (content.document_score) {
      for (const place of places) {
        const name = several ? `${content.letters[place]} as a whole` : "The document as a whole";
        const foot = unitFoot({ ...content, score: content.scale, missing: false, span: "required" }, name, null);
        const row = make(
          "section",
          { class: "whole", "data-document": String(place) },
          make("h3", {}, name),
          foot.root,
        );
        (content.aligned ? end : elements(root, ".judged")[place]).append(row);
        feet.set(`${place}.document`, foot);
        if (foot.slider) sliderMake(foot.slider, `${place}.document`, content.scale, () => model.answer.outputs[place]);
      }
    }
    if (content.preference) {
      const choices = make("div", { class: "choices" });
      for (const [winner, label] of /** @type {[number | null, string][]} */ ([
        [0, "A is better"],
        [null, "They are equal"],
        [1, "B is better"],
      ])) {
        choices.append(
          button(label, {
            look: "choice-button",
            "aria-pressed": "false",
            "data-winner": String(winner),
            act: () => change("", () => Object.assign(model.answer.preference, { winner, tie: winner === null })),
          }),
        );
      }
      const hint = make("p", { class: "hint" });
      end.append(
        make(
          "section",
          { class: "whole preference", role: "group", "aria-label": "Which is better?" },
          make("h3", {}, "Which is better?"),
          choices,
          hint,
        ),
      );
    }
  }

  /**
   * @param {number} place
   * @param {number} number
   */
  function unitName(place, number) {
    return `Unit ${number}${several ? ` of ${content.letters[place]}` : ""}`;
  }

  /**
   * @param {number} place
   * @param {number} number
   * @param {string} side
   */
  function fieldOf(place, number, side = "output") {
    return fields.find(
      (field) =>
        field.number === number &&
        (side === "source" ? field.side === "source" : field.side === "output" && field.place === place),
    );
  }

  /** @param {Ref} ref */
  function fieldOfSpan(ref) {
    const { side } = model.span(ref);
    return fieldOf(ref.place, ref.number, side);
  }

  // --- drawing ----------------------------------------------------------------------------------------------------

  function draw() {
    const refs = model.all();
    for (const field of fields) {
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
        look: spanLook(model, ref, lit === idOf(ref)),
      }));
      texts.draw(field, marks);
      if (field.side === "source") listDraw(sourceLists.get(field.number), firstOfGroups(own), field);
    }
    for (const place of places) {
      for (const number of model.numbers(place)) {
        const foot = feet.get(`${place}.${number}`);
        const field = fieldOf(place, number);
        if (!foot || !field) continue;
        const own = refs.filter(
          (ref) => ref.place === place && ref.number === number && model.span(ref).side !== "source",
        );
        listDraw(foot.list, own, field);
        foot.draw(model, place, number);
        field.cell.classList.toggle("done", !model.unitLacks(place, number));
        field.cell.classList.toggle("current", current.place === place && current.number === number);
      }
    }
    const { winner, tie } = model.answer.preference;
    for (const choice of elements(root, "[data-winner]")) {
      const is = choice.dataset.winner === "null" ? tie : Number(choice.dataset.winner) === winner && winner !== null;
      choice.setAttribute("aria-pressed", String(is));
    }
    stepsDraw();
    standingDraw();
  }

  /** @param {Ref[]} refs */
  function firstOfGroups(refs) {
    const seen = new Set();
    return refs.filter((ref) => {
      const key = model.group(ref).map(idOf).join(" ");
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  }

  /**
   * @param {HTMLElement | undefined} list
   * @param {Ref[]} refs
   * @param {UnitField} field
   */
  function listDraw(list, refs, field) {
    if (!list) return;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.error : undefined;
    list.replaceChildren(
      ...refs.map((ref) => {
        const made = button("", {
          look: `error-button ${spanLook(model, ref, lit === idOf(ref))}`,
          act: () => boxOpen(ref),
          "data-error": idOf(ref),
        });
        const letters =
          several && field.side === "source" ? model.group(ref).map(({ place }) => content.letters[place]) : [];
        made.append(...spanWords(model, ref, texts.wordsOf(field, model.span(ref).parts), letters));
        return make("li", {}, made);
      }),
    );
    const again = focused ? list.querySelector(`[data-error="${focused}"]`) : null;
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }

  function standingDraw() {
    const units = model.asked();
    const done = units.filter(([place, number]) => !model.unitLacks(place, number)).length;
    const errors = places.reduce(
      (sum, place) =>
        sum + model.answer.outputs[place].units.reduce((inner, unit) => inner + model.live(unit).length, 0),
      0,
    );
    element(root, "#standing").textContent =
      `${done} of ${units.length} units done · ${errors === 1 ? "1 error" : `${errors} errors`} marked`;
    element(root, "[data-undo]", HTMLButtonElement).disabled = !model.canUndo;
    element(root, "[data-redo]", HTMLButtonElement).disabled = !model.canRedo;
  }

  // --- one unit after the other -------------------------------------------------------------------------------------

  function openedFind() {
    const first = model.asked().find(([place, number]) => model.unitLacks(place, number));
    opened = Math.max(opened, first ? first[1] : Number.POSITIVE_INFINITY);
    current = first ? { place: first[0], number: first[1] } : current;
  }

  function stepsDraw() {
    if (content.reveal !== "stepwise") return;
    for (const line of elements(root, content.aligned ? ".line" : ".judged .cell")) {
      const number = Number(line.dataset.line ?? line.dataset.unit);
      line.hidden = number > opened;
    }
    for (const whole of elements(root, ".whole")) whole.hidden = opened !== Number.POSITIVE_INFINITY;
  }

  /** @param {UnitField} field */
  function unitEnter(field) {
    if (field.side === "source" || (current.place === field.place && current.number === field.number)) return;
    const left = { ...current };
    current = { place: field.place, number: field.number };
    for (const other of fields) other.cell.classList.toggle("current", other === field);
    unitLeft(left.place, left.number);
  }

  /**
   * @param {number} place
   * @param {number} number
   */
  function unitLeft(place, number) {
    const isChecked = content.check?.place === place && content.check.unit === number;
    if (isChecked && !model.unitLacks(place, number)) page.confirm();
  }

  /**
   * @param {number} place
   * @param {number} number
   */
  function goTo(place, number) {
    const field = fieldOf(place, number);
    if (!field) return;
    if (number > opened) opened = number;
    unitEnter(field);
    stepsDraw();
    field.cell.scrollIntoView({ block: "nearest" });
    texts.focus(field);
  }

  /** Enter: the next unit that is not done, and when all are, the end. */
  function goOn() {
    const lacking = model.unitLacks(current.place, current.number);
    if (lacking && model.isAsked(current.place, current.number)) {
      problemShow(`${current.place}.${current.number}`, `${unitName(current.place, current.number)}: ${lacking}`);
      return;
    }
    const units = model.asked();
    const at = units.findIndex(([place, number]) => place === current.place && number === current.number);
    const open = [...units.slice(at + 1), ...units.slice(0, at)].find(([place, number]) =>
      model.unitLacks(place, number),
    );
    if (open) {
      goTo(open[0], open[1]);
      page.announce(unitName(open[0], open[1]));
      return;
    }
    if (opened !== Number.POSITIVE_INFINITY) {
      opened = Number.POSITIVE_INFINITY;
      stepsDraw();
    }
    submit();
  }

  /** @param {1 | -1} by */
  function move(by) {
    const units = model.asked();
    const at = units.findIndex(([place, number]) => place === current.place && number === current.number);
    const next = units[at + by];
    if (!next || next[1] > opened) return;
    goTo(next[0], next[1]);
    page.announce(unitName(next[0], next[1]));
  }

  // --- marking ----------------------------------------------------------------------------------------------------

  /** @param {Ref} ref */
  function idOf({ place, number, index }) {
    return `${place}.${number}.${index}`;
  }

  /** @param {string} id @returns {Ref} */
  function refOf(id) {
    const [place, number, index] = id.split(".").map(Number);
    return { place, number, index };
  }

  /**
   * @param {UnitField} field
   * @param {string} id
   */
  function openId(field, id) {
    const ref = refOf(id);
    if (extending) extending = null;
    if (model.span(ref)) boxOpen(ref);
    else texts.focus(field);
  }

  /**
   * @param {UnitField} field
   * @param {Part} part
   */
  function selected(field, part) {
    problemHide();
    if (extending) return extend(field, part);
    const { place, number } = field;
    const span = spanOf({ parts: [part], side: field.side });
    const twin = model.twin(place, number, span);
    if (twin >= 0) return boxOpen({ place, number, index: twin });
    add(place, number, span);
  }

  /**
   * @param {number} place
   * @param {number} number
   * @param {Span} span
   */
  function add(place, number, span) {
    const wrong = model.refusal(place, number, span);
    if (wrong) {
      problemShow(`${place}.${number}`, wrong);
      return;
    }
    box.close();
    model.settle();
    /** @type {Ref} */
    let ref = { place, number, index: 0 };
    change("box", () => {
      ref = model.add(place, number, span);
      if (span.side === "source" && content.names_outputs) {
        for (const other of places) if (other !== place) model.add(other, number, { ...span });
      }
    });
    boxOpen(ref, true);
  }

  /**
   * @param {UnitField} field
   * @param {Part} part
   */
  function extend(field, part) {
    const ref = /** @type {Ref} */ (extending);
    extending = null;
    const own = fieldOfSpan(ref);
    if (own !== field) {
      page.announce("Words of one error stand in one text.");
      return boxOpen(ref);
    }
    change("", () => {
      for (const each of model.group(ref)) model.extend(each, [part]);
    });
    boxOpen(ref);
  }

  /**
   * @param {number} place
   * @param {number} number
   */
  function missingAdd(place, number) {
    add(place, number, spanOf({ side: "missing", category: content.omission_category }));
  }

  /**
   * @param {number} place
   * @param {number} number
   */
  function noneToggle(place, number) {
    const unit = model.unit(place, number);
    if (unit.spans.length) {
      problemShow(`${place}.${number}`, `${unitName(place, number)} has errors; remove them first.`);
      return;
    }
    problemHide();
    change("", () => {
      unit.none = !unit.none;
    });
    page.announce(unit.none ? `${unitName(place, number)}: no errors.` : `${unitName(place, number)} is open again.`);
  }

  /**
   * A category without words takes the whole unit.
   *
   * @param {UnitField} field
   * @param {string} category
   */
  function categoryToggle(field, category) {
    const { place, number } = field;
    const span = spanOf({ parts: [[0, texts.offsets(field).length]], category });
    const twin = model.twin(place, number, span);
    if (twin >= 0) {
      change("", () => model.remove({ place, number, index: twin }));
      page.announce(`${category} removed.`);
    } else if (content.severities.length || content.question) add(place, number, span);
    else {
      const wrong = model.refusal(place, number, span);
      if (wrong) return problemShow(`${place}.${number}`, wrong);
      change("", () => model.add(place, number, span));
      page.announce(`${unitName(place, number)}: ${category}.`);
    }
  }

  /** @param {Ref} ref */
  function remove(ref) {
    const field = fieldOf(ref.place, ref.number);
    change("", () => {
      for (const each of model.group(ref).reverse()) model.remove(each);
    });
    boxed = null;
    box.close();
    page.announce("Removed. Control+Z brings it back.");
    if (field) texts.focus(field);
  }

  // --- the box ------------------------------------------------------------------------------------------------------

  /**
   * @param {Ref} ref
   * @param {boolean} [isNew]
   */
  function boxOpen(ref, isNew = false) {
    if (boxed && idOf(boxed.ref) !== idOf(ref)) box.close();
    if (!isNew) model.settle();
    boxed = { ref, isNew };
    lit = idOf(ref);
    draw();
    box.open(boxAsked());
  }

  function boxAsked() {
    const { ref, isNew } = /** @type {{ ref: Ref, isNew: boolean }} */ (boxed);
    const span = model.span(ref);
    const field = fieldOfSpan(ref) ?? fieldOf(ref.place, ref.number);
    const words =
      span.side === "missing" ? "Something is missing" : `“${field ? texts.wordsOf(field, span.parts) : ""}”`;
    return {
      span,
      words,
      letters: model.group(ref).map(({ place }) => content.letters[place]),
      isNew,
      where: () =>
        (field && (texts.markOf(field, idOf(ref)) ?? root.querySelector(`[data-error="${idOf(ref)}"]`))) || null,
    };
  }

  /** @param {Partial<Span>} fields @returns {string} */
  function boxSet(fields) {
    if (!boxed) return "";
    const { ref } = boxed;
    const span = model.span(ref);
    const wanted = { ...span, ...fields };
    if (fields.category && content.whole_unit.includes(fields.category)) {
      if (span.side !== "output") return `${fields.category} takes the whole unit of the output.`;
      const field = fieldOf(ref.place, ref.number);
      wanted.parts = [[0, field ? texts.offsets(field).length : 0]];
      wanted.severity = content.heaviest;
    }
    if (fields.category && model.twin(ref.place, ref.number, wanted, ref.index) >= 0)
      return "These words are marked so already.";
    change("box", () => {
      for (const each of model.group(ref))
        Object.assign(model.span(each), wanted, { suggestion: model.span(each).suggestion });
    });
    if (!("note" in fields)) box.draw(boxAsked());
    return "";
  }

  /** @param {string} letter */
  function boxToggle(letter) {
    if (!boxed) return;
    const { ref } = boxed;
    const place = content.letters.indexOf(letter);
    const group = model.group(ref);
    const own = group.find((each) => each.place === place);
    if (own && group.length === 1) return;
    change("box", () => {
      if (own) model.remove(own);
      else
        model.add(place, ref.number, {
          ...model.span(ref),
          parts: model.span(ref).parts.map(([a, b]) => [a, b]),
          suggestion: null,
        });
    });
    if (own && idOf(own) === idOf(ref)) boxed.ref = group.find((each) => each.place !== place) ?? ref;
    draw();
    box.draw(boxAsked());
  }

  function boxMore() {
    if (!boxed) return;
    const { ref } = boxed;
    box.close();
    extending = ref;
    const field = fieldOfSpan(ref);
    if (field) texts.focus(field);
    page.announce("Select the words to add. Escape leaves it as it is.");
    hintSay("Select the words to add to this error.");
  }

  /** @param {boolean} dropped */
  function boxClosed(dropped) {
    const was = boxed;
    boxed = null;
    lit = "";
    if (!was || !model.span(was.ref)) return draw();
    const field = fieldOfSpan(was.ref) ?? fieldOf(was.ref.place, was.ref.number);
    if (dropped && was.isNew) {
      model.undo();
      model.settle();
      page.changed();
      page.announce("Dropped.");
    } else {
      const words = field ? texts.wordsOf(field, model.span(was.ref).parts) : "";
      page.announce([words, model.span(was.ref).severity, model.span(was.ref).category].filter(Boolean).join(", "));
    }
    model.settle();
    draw();
    if (field && comesBack) texts.focus(field);
    if (!dropped && content.check?.place === was.ref.place && content.check.unit === was.ref.number) page.confirm();
  }

  /** A click beside the box closes it; what is marked stays, described or not. @param {PointerEvent} event */
  function outside(event) {
    if (!root.isConnected) return document.removeEventListener("pointerdown", outside, { capture: true });
    if (!box.isOpen || (event.target instanceof Element && event.target.closest("#span-box"))) return;
    comesBack = false;
    box.close();
    comesBack = true;
  }

  // --- changes, undo, problems ----------------------------------------------------------------------------------------

  /**
   * @param {string} tag
   * @param {() => void} act
   */
  function change(tag, act) {
    model.change(tag, act);
    problemHide();
    draw();
    page.changed();
  }

  function undo() {
    goBack(() => model.undo(), "Undone.");
  }

  function redo() {
    goBack(() => model.redo(), "Done again.");
  }

  /**
   * @param {() => boolean} step
   * @param {string} said
   */
  function goBack(step, said) {
    boxed = null;
    extending = null;
    box.close();
    if (!step()) return;
    for (const [key, slider] of sliders) {
      const [place, number] = key.split(".");
      const scored =
        number === "document" ? model.answer.outputs[Number(place)] : model.unit(Number(place), Number(number));
      slider.show(scored.score);
    }
    draw();
    page.changed();
    const field = fieldOf(current.place, current.number);
    if (field && (!document.activeElement || document.activeElement === document.body)) texts.focus(field);
    page.announce(said);
  }

  /** @param {KeyboardEvent} event */
  function shortcuts(event) {
    if (!root.isConnected) return document.removeEventListener("keydown", shortcuts);
    if (event.target instanceof Element && event.target.closest("textarea, input")) return;
    if (document.querySelector("dialog[open]:not(#span-box)")) return;
    if (event.key === "Escape" && extending) {
      extending = null;
      hintSay("");
      page.announce("The error stays as it is.");
    }
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) undo();
    else if (key === "y" || (key === "z" && event.shiftKey)) redo();
    else return;
    event.preventDefault();
  }

  /** @param {string} text */
  function hintSay(text) {
    const hint = element(root, "#hint");
    hint.textContent = text;
    hint.classList.remove("problem");
  }

  /**
   * @param {string} field “place.number”, perhaps with more behind it
   * @param {string} message
   */
  function problemShow(field, message) {
    problemHide();
    const key = field.split(".").slice(0, 2).join(".");
    const foot = feet.get(key);
    const hint = foot?.hint ?? element(root, "#hint");
    hint.textContent = message;
    hint.classList.add("problem");
    foot?.root.closest(".cell, .whole")?.classList.add("problem");
    page.announce(message);
  }

  function problemHide() {
    for (const hint of elements(root, ".hint.problem")) {
      hint.textContent = "";
      hint.classList.remove("problem");
    }
    for (const cell of elements(root, ".cell.problem, .whole.problem")) cell.classList.remove("problem");
    hintSay("");
  }

  /** @param {import("./model.js").Injected} injected */
  function injectedSay({ output, unit, found }) {
    if (!model.unitLacks(output, unit)) return;
    const foot = feet.get(`${output}.${unit}`);
    const what = found ? "and you found it" : "and you did not mark it";
    const text = `An error had been put into this unit on purpose, ${what}. Here is the true text: judge it now.`;
    if (foot) foot.word.textContent = text;
    if (foot) foot.word.hidden = false;
  }

  function submit() {
    box.close();
    texts.drop();
    if (content.check) return page.confirm();
    const below = content.score?.warn_below;
    const doubtful = model.asked().filter(([place, number]) => {
      const unit = model.unit(place, number);
      const isLow = typeof below === "number" && unit.score !== null && unit.score < below;
      return isLow && !unit.spans.length && !asked.has(`${place}.${number}`);
    });
    if (doubtful.length && isWhole()) {
      for (const [place, number] of doubtful) asked.add(`${place}.${number}`);
      const [place, number] = doubtful[0];
      goTo(place, number);
      problemShow(
        `${place}.${number}`,
        `${unitName(place, number)}: no errors? Mark them, or submit again to leave it so.`,
      );
      return;
    }
    page.submit();
  }

  /** Whether nothing is missing any more. */
  function isWhole() {
    const { winner, tie } = model.answer.preference;
    if (content.preference && winner === null && !tie) return false;
    if (content.document_score && model.answer.outputs.some(({ score }) => score === null)) return false;
    return !model.asked().some(([place, number]) => model.unitLacks(place, number));
  }

  // --- keys -------------------------------------------------------------------------------------------------------

  /** @param {1 | -1} by */
  function errorStep(by) {
    const all = elements(root, ".error-button").filter((each) => each.offsetParent !== null);
    if (!all.length) return page.announce("No errors are marked.");
    const at = all.findIndex((each) => each.dataset.error === lit);
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    lit = next.dataset.error ?? "";
    draw();
    const again = root.querySelector(`.error-button[data-error="${lit}"]`);
    if (!(again instanceof HTMLElement)) return;
    again.focus();
    page.announce(again.textContent ?? "");
  }

  /** @param {string} name */
  function key(name) {
    const small = name.length === 1 ? name.toLowerCase() : name;
    const { place, number } = current;
    const focused = document.activeElement instanceof HTMLElement ? (document.activeElement.dataset.error ?? "") : "";
    if (small === "Enter") {
      const slider = sliders.get(`${place}.${number}`);
      slider?.settle();
      if (document.activeElement?.matches("[data-primary]")) submit();
      else goOn();
    } else if (small === "[") errorStep(-1);
    else if (small === "]") errorStep(1);
    else if (small === "n" && feet.get(`${place}.${number}`)?.none) noneToggle(place, number);
    else if (small === "m" && content.missing) missingAdd(place, number);
    else if ((small === "Delete" || small === "Backspace") && (focused || lit)) remove(refOf(focused || lit));
    else if (small === "k" && focused && model.span(refOf(focused))) keep(refOf(focused));
    else if (/^\d$/.test(small) && content.score) sliders.get(`${place}.${number}`)?.type(small);
    else if (small === "ArrowDown") move(1);
    else if (small === "ArrowUp") move(-1);
    else return false;
    return true;
  }

  /** @param {Ref} ref */
  function keep(ref) {
    change("", () => {
      model.span(ref).kept = true;
    });
    page.announce("Kept.");
  }

  /** @type {KeyLine[]} */
  const keys = [
    ["← →", "in a text: the word before, after (Shift grows, Alt by letter)"],
    ["↑ ↓", "unit before, after"],
    ["⏎", "in a text: choose the selected words"],
    ["Esc", "drop the selection, or a new error"],
    ["[ ]", "error before, after"],
    ["Del", "remove the error"],
    ["Ctrl+Z Ctrl+Y", "undo, redo"],
  ];
  if (!content.score) keys.push(["N", "the unit has no errors"]);
  if (content.missing) keys.push(["M", "something is missing from the unit"]);
  if (content.score) keys.push(["0 … 9", "type the score of the unit"]);
  if (content.severities.length)
    keys.push([content.severities.map((_, index) => index + 1).join(" "), "in the box: severity"]);
  if (content.suggested.length) keys.push(["K", "keep the suggested error"]);

  return {
    answer: () => model.answer,
    key,
    keys,
    closes: Boolean(content.check),
    show(missing) {
      const { field, message } = missing[0];
      const [place, number, part] = field.split(".");
      if (field === "preference" || number === "document") {
        opened = Number.POSITIVE_INFINITY;
        stepsDraw();
        const where = element(root, field === "preference" ? ".preference" : `[data-document="${place}"]`);
        where.scrollIntoView({ block: "nearest" });
        const hint = element(where, ".hint");
        hint.textContent = message;
        hint.classList.add("problem");
        element(where, "[tabindex='0'], button").focus({ preventScroll: true });
        return;
      }
      if (!fieldOf(Number(place), Number(number))) {
        const line = fieldOf(0, Number(number), "source");
        if (line) texts.focus(line);
        hintSay(message);
        return;
      }
      goTo(Number(place), Number(number));
      const ref = { place: Number(place), number: Number(number), index: Number(part) };
      if (part === "score") {
        const foot = feet.get(`${place}.${number}`);
        foot?.root.querySelector(".slider")?.scrollIntoView({ block: "nearest" });
        if (foot?.slider) element(foot.slider, ".slider").focus({ preventScroll: true });
      } else if (part && model.span(ref) && model.lacks(model.span(ref))) boxOpen(ref);
      problemShow(field, message);
    },
    confirmed() {
      const { injected } = content;
      if (!injected) return;
      goTo(injected.output, injected.unit);
      page.announce(
        `An error had been put into this unit on purpose. You ${injected.found ? "found" : "missed"} it. Judge the true text now.`,
      );
    },
  };
}
