// Error spans: words are selected (spans.js), a box asks what is wrong with them (marking.js, box.js), unit by unit (walk.js).
// model.js has the answer, sheet.js the elements of the page, drawing.js shows the one on the other.

import { element } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";
import { spanTextsMount } from "../../assess/spans.js";
import { answerDraw } from "./drawing.js";
import { Marking } from "./marking.js";
import { Model, refOf } from "./model.js";
import { Sheet } from "./sheet.js";
import { Walk } from "./walk.js";

/** @import { KeyLine, Missing, Mount } from "../page" */
/** @import { SpanTexts } from "../../../static/assess/spans.js" */
/** @import { Answer, Content, Injected } from "./model.js" */
/** @import { UnitField } from "./sheet.js" */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const model = new Model(content, answer);
  const sheet = new Sheet(root, content, page.announce);
  const asked = new Set(); // units whose low score without errors was asked about
  /** @type {SpanTexts} */
  const texts = spanTextsMount(sheet.columns, {
    snap: content.snap,
    announce: page.announce,
    selected: (field, part) => marking.selected(/** @type {UnitField} */ (field), part),
    opened: (field, id) => marking.clicked(/** @type {UnitField} */ (field), id),
    entered: (field) => walk.enter(/** @type {UnitField} */ (field)),
    begun: (next) => sheet.hintSay(next),
  });
  const walk = new Walk(sheet, model, () => texts, { left: unitLeft, submitWord: page.submitWord });
  const marking = new Marking({
    sheet,
    model,
    texts: () => texts,
    page,
    change,
    draw,
    described(place, number) {
      if (isChecked(place, number)) page.confirm();
    },
  });
  sheet.furnish(model, {
    entered: (field) => walk.enter(field),
    none: (place, number) => marking.none(place, number),
    missing: (place, number) => marking.missing(place, number),
    category: (field, category) => marking.category(field, category),
    change,
  });
  element(root, "[data-undo]").addEventListener("click", undo);
  element(root, "[data-redo]").addEventListener("click", redo);
  element(root, "[data-primary]").addEventListener("click", primary);
  document.addEventListener("keydown", shortcuts);
  draw();
  if (content.injected) injectedSay(content.injected);

  function draw() {
    const view = {
      lit: marking.lit,
      current: walk.current,
      open: (/** @type {import("./model.js").Ref} */ ref) => marking.open(ref),
    };
    answerDraw(sheet, model, texts, view);
    walk.draw();
  }

  // --- an error that was put in ---------------------------------------------------------------------------------------

  /**
   * Whether an error was put into this unit, and the step from there is still to come.
   *
   * @param {number} place
   * @param {number} number
   */
  function isChecked(place, number) {
    return content.check?.place === place && content.check.unit === number;
  }

  /**
   * @param {number} place
   * @param {number} number
   */
  function unitLeft(place, number) {
    if (isChecked(place, number) && !model.unitLacks(place, number)) page.confirm();
  }

  /** @param {Injected} injected */
  function injectedSay({ output, unit, found }) {
    if (!model.unitLacks(output, unit)) return;
    const word = sheet.feet.get(`${output}.${unit}`)?.word;
    if (!word) return;
    word.textContent = found
      ? gettext(
          "An error had been put into this unit on purpose, and you found it. Here is the true text: judge it now.",
        )
      : gettext(
          "An error had been put into this unit on purpose, and you did not mark it. Here is the true text: judge it now.",
        );
    word.hidden = false;
  }

  // --- changes, undo --------------------------------------------------------------------------------------------------

  /**
   * @param {string} tag
   * @param {() => void} act
   */
  function change(tag, act) {
    model.change(tag, act);
    sheet.problemHide();
    draw();
    page.changed();
  }

  function undo() {
    goBack(() => model.undo(), gettext("Undone."));
  }

  function redo() {
    goBack(() => model.redo(), gettext("Done again."));
  }

  /**
   * @param {() => boolean} step
   * @param {string} said
   */
  function goBack(step, said) {
    marking.stopExtending();
    marking.forget();
    if (!step()) return;
    for (const [key, slider] of sheet.sliders) {
      const [place, number] = key.split(".");
      const isDocument = number === "document";
      slider.show((isDocument ? model.answer.outputs[Number(place)] : model.unit(Number(place), Number(number))).score);
    }
    draw();
    page.changed();
    const field = sheet.fieldOf(walk.current.place, walk.current.number);
    if (field && (!document.activeElement || document.activeElement === document.body)) texts.focus(field);
    page.announce(said);
  }

  /** @param {KeyboardEvent} event */
  function shortcuts(event) {
    if (!root.isConnected) return document.removeEventListener("keydown", shortcuts);
    if (event.target instanceof Element && event.target.closest("textarea, input")) return;
    if (document.querySelector("dialog[open]:not(#span-box)")) return;
    if (event.key === "Escape" && marking.stopExtending()) {
      sheet.hintSay("");
      page.announce(gettext("The error stays as it is."));
    }
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) undo();
    else if (key === "y" || (key === "z" && event.shiftKey)) redo();
    else return;
    event.preventDefault();
  }

  // --- going on -------------------------------------------------------------------------------------------------------

  /** Enter: the next unit that is not done, and when all are, the end. */
  function goOn() {
    const { place, number } = walk.current;
    const lacking = model.unitLacks(place, number);
    if (lacking && model.isAsked(place, number)) return sheet.problemShow(walk.key, `${walk.name}: ${lacking}`);
    if (walk.goOn()) return page.announce(walk.name);
    walk.openAll();
    if (isPreferenceOpen()) return preferenceAsk();
    submit();
  }

  function isPreferenceOpen() {
    const { winner, tie } = model.answer.preference;
    return content.preference && winner === null && !tie;
  }

  /** What nobody was asked yet is asked, before it is said to be missing. */
  function preferenceAsk() {
    if (document.activeElement?.closest(".preference")) return submit();
    const preference = element(root, ".preference");
    preference.scrollIntoView({ block: "nearest" });
    element(preference, "button").focus({ preventScroll: true });
    page.announce(gettext("Which is better?"));
  }

  /** One unit after the other: the button goes on as Enter does, until all are open. */
  function primary() {
    if (!walk.isMore) return submit();
    marking.box.close();
    goOn();
  }

  function submit() {
    marking.box.close();
    texts.drop();
    if (content.check) return page.confirm();
    const doubtful = isWhole() ? unitsInDoubt() : [];
    if (!doubtful.length) return page.submit();
    for (const [place, number] of doubtful) asked.add(`${place}.${number}`);
    const [place, number] = doubtful[0];
    walk.goTo(place, number);
    const name = sheet.unitName(place, number);
    sheet.problemShow(
      `${place}.${number}`,
      gettext("{name}: no errors? Mark them, or submit again to leave it so.", { name }),
    );
  }

  /** Units with a low score and no errors that nobody was asked about yet. */
  function unitsInDoubt() {
    const below = content.score?.warn_below;
    return model.asked().filter(([place, number]) => {
      const unit = model.unit(place, number);
      const isLow = typeof below === "number" && unit.score !== null && unit.score < below;
      return isLow && !unit.spans.length && !asked.has(`${place}.${number}`);
    });
  }

  /** Whether nothing is missing any more. */
  function isWhole() {
    if (isPreferenceOpen()) return false;
    if (content.document_score && model.answer.outputs.some(({ score }) => score === null)) return false;
    return !model.asked().some(([place, number]) => model.unitLacks(place, number));
  }

  // --- what is missing ------------------------------------------------------------------------------------------------

  /** @param {Missing} missing */
  function show({ field, message }) {
    const [place, number, part] = field.split(".");
    // The step was taken already, by another device or by a request whose reply was lost: this page follows.
    if (!field && content.check) return window.location.reload();
    if (field === "preference") return endShow(".preference", message);
    if (number === "document") return endShow(`[data-document="${place}"]`, message);
    if (!sheet.fieldOf(Number(place), Number(number))) {
      const line = sheet.fieldOf(0, Number(number), "source");
      if (line) texts.focus(line);
      sheet.hintSay(message);
      return;
    }
    walk.goTo(Number(place), Number(number));
    const ref = refOf(field);
    if (part === "score") {
      const foot = sheet.feet.get(`${place}.${number}`);
      foot?.root.querySelector(".slider")?.scrollIntoView({ block: "nearest" });
      if (foot?.slider) element(foot.slider, ".slider").focus({ preventScroll: true });
    } else if (part && model.span(ref) && model.lacks(model.span(ref))) marking.open(ref);
    sheet.problemShow(field, message);
  }

  /**
   * @param {string} selector
   * @param {string} message
   */
  function endShow(selector, message) {
    walk.openAll();
    const where = element(root, selector);
    where.scrollIntoView({ block: "nearest" });
    const hint = element(where, ".hint");
    hint.textContent = message;
    hint.classList.add("problem");
    element(where, "[tabindex='0'], button").focus({ preventScroll: true });
  }

  // --- keys -----------------------------------------------------------------------------------------------------------

  /** Whose score a number sets: the current unit's, or that of the whole text that has the focus. */
  function scoreKey() {
    const whole = document.activeElement?.closest("[data-document]");
    return whole instanceof HTMLElement ? `${whole.dataset.document}.document` : walk.key;
  }

  /** @param {string} name */
  function key(name) {
    const small = name.length === 1 ? name.toLowerCase() : name;
    const { place, number } = walk.current;
    const slider = sheet.sliders.get(scoreKey());
    const focused = document.activeElement instanceof HTMLElement ? (document.activeElement.dataset.error ?? "") : "";
    if (small === "Enter") {
      slider?.settle();
      if (document.activeElement?.matches("[data-primary]")) primary();
      else goOn();
    } else if (small === "[") marking.step(-1);
    else if (small === "]") marking.step(1);
    else if (small === "n" && sheet.feet.get(walk.key)?.none) marking.none(place, number);
    else if (small === "m" && content.missing) marking.missing(place, number);
    else if ((small === "Delete" || small === "Backspace") && (focused || marking.lit))
      marking.remove(refOf(focused || marking.lit));
    else if (small === "k" && focused && model.span(refOf(focused))) marking.keep(refOf(focused));
    else if (/^\d$/.test(small) && slider) slider.type(small);
    else if (small === "ArrowDown" || small === "ArrowUp") {
      if (walk.move(small === "ArrowDown" ? 1 : -1)) page.announce(walk.name);
    } else if (small === "ArrowLeft" || small === "ArrowRight") {
      // In a text these keys are its own; from anywhere else they lead into it.
      const field = sheet.fieldOf(place, number);
      if (!field) return false;
      texts.begin(field);
    } else if (content.preference && root.querySelector(`[data-key="${CSS.escape(small)}"]`)) {
      element(root, `[data-key="${CSS.escape(small)}"]`).click();
      page.announce(element(root, ".preference [aria-pressed=true]").firstChild?.textContent ?? "");
    } else return false;
    return true;
  }

  return {
    answer: () => model.answer,
    key,
    keys: keysOf(content),
    closes: Boolean(content.check),
    show: (missing) => show(missing[0]),
    confirmed() {
      const { injected } = content;
      if (!injected) return;
      walk.goTo(injected.output, injected.unit);
      page.announce(
        injected.found
          ? gettext("An error had been put into this unit on purpose. You found it. Judge the true text now.")
          : gettext("An error had been put into this unit on purpose. You missed it. Judge the true text now."),
      );
    },
  };
}

/** @param {Content} content @returns {KeyLine[]} */
function keysOf({ score, missing, severities, suggested, preference }) {
  /** @type {KeyLine[]} */
  const keys = [
    ["← →", gettext("in a text: the word before, after (Shift grows, Alt by letter)")],
    ["↑ ↓", gettext("unit before, after")],
    ["⏎", gettext("in a text: choose the selected words")],
    ["Esc", gettext("drop the selection, or a new error")],
    ["[ ]", gettext("error before, after")],
    ["Del", gettext("remove the error")],
    ["Ctrl+Z Ctrl+Y", gettext("undo, redo")],
  ];
  if (!score) keys.push(["N", gettext("the unit has no errors")]);
  if (missing) keys.push(["M", gettext("something is missing from the unit")]);
  if (score) keys.push(["0 … 9", gettext("type the score of the unit")]);
  if (severities.length)
    keys.push([severities.map((_, index) => index + 1).join(" "), gettext("in the box: severity")]);
  if (suggested.length) keys.push(["K", gettext("keep the suggested error")]);
  if (preference) keys.push(["A = B", gettext("A is better, they are equal, B is better")]);
  return keys;
}
