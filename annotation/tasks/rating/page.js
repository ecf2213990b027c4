// Ratings: each criterion a row of labelled steps or a slider, answered in order; digits go to the current one.
//
// Criteria that are judged alone come first and are confirmed, and fixed, before the rest opens (TIDES).

import { element, elements, targetOf } from "../../assess/dom.js";
import { gettext, listWords, lower } from "../../assess/gettext.js";
import { keyRange, keysOf } from "../../assess/scales.js";
import { sliderMount } from "../../assess/slider.js";

/** @import { KeyLine, Missing, Mount } from "../page" */
/** @import { Slider } from "../../assess/slider.js" */

/**
 * @typedef {object} CriterionContent
 * @property {string} name
 * @property {string} title
 * @property {boolean} alone
 * @property {{ value: number, label: string }[]} steps
 * @property {{ low: number, high: number } | null} slider
 */

/**
 * @typedef {object} Content
 * @property {CriterionContent[]} criteria
 * @property {string[]} alone names of the criteria of the first stage
 * @property {boolean} confirmed
 * @property {string} beside what the second stage shows
 * @property {string} heading the same in words
 */

/** @typedef {Record<string, number | null>} Values */
/** @typedef {{ values: Values, confirmed: boolean }} Answer */
/**
 * @typedef {object} Shown
 * @property {string} heading
 * @property {HTMLElement} row
 * @property {boolean} isFixed
 * @property {boolean} isLater
 * @property {string[]} keys of the steps
 * @property {Slider} [control]
 */

/** @typedef {CriterionContent & Shown} Criterion */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const one = (/** @type {string} */ selector) => element(root, selector);
  /** @type {Values} */
  const values = Object.fromEntries(content.criteria.map(({ name }) => [name, answer.values?.[name] ?? null]));
  const hasStages = content.alone.length > 0;
  /** @type {Criterion[]} */
  const criteria = content.criteria.map((criterion) => ({
    ...criterion,
    heading: criterion.title || criterion.name,
    keys: keysOf(criterion.steps),
    row: one(`[data-criterion="${criterion.name}"]`),
    isFixed: hasStages && criterion.alone && content.confirmed,
    isLater: hasStages && !criterion.alone && !content.confirmed,
  }));
  const open = criteria.filter((criterion) => !criterion.isFixed && !criterion.isLater);
  let current = open.find((criterion) => values[criterion.name] === null) ?? open[open.length - 1];
  /** @type {{ name: string, message: string } | null} */
  let said = null; // {name, message}: what is missing, once the assessor has tried to go on

  if (content.beside === "question") one(".panes").prepend(one(".context")); // it is read before its answer

  for (const criterion of criteria) {
    if (criterion.slider) sliderRow(criterion, criterion.slider);
    else stepsRow(criterion);
    criterion.row.addEventListener("focusin", () => goTo(criterion));
    criterion.row.addEventListener("pointerdown", () => goTo(criterion));
  }
  one("[data-primary]").addEventListener("click", next);
  for (const button of elements(root, "[data-ask]")) {
    button.addEventListener("click", () => move(Number(button.dataset.ask)));
  }
  let isPointing = false; // the last thing done was done with a pointer
  root.addEventListener("pointerdown", () => {
    isPointing = true;
  });
  root.addEventListener("keydown", () => {
    isPointing = false;
  });

  /** Where there is little room only the current question is shown. */
  function isOneByOne() {
    return elements(root, ".stepper").some((stepper) => getComputedStyle(stepper).display !== "none");
  }

  /** @param {Criterion} criterion */
  function stepsRow(criterion) {
    criterion.row.classList.toggle(
      "long-words",
      criterion.steps.some(({ label }) => /\S{12}/.test(label)),
    );
    for (const [index, input] of radios(criterion).entries()) {
      const key = element(input.parentElement ?? criterion.row, ".key");
      key.textContent = criterion.keys[index].toUpperCase();
      key.hidden = !criterion.keys[index];
      input.disabled = criterion.isFixed || criterion.isLater;
      input.addEventListener("change", () => {
        answerSet(criterion, criterion.steps[index].value);
        if (isPointing && isOneByOne()) advance();
      });
    }
  }

  /**
   * @param {Criterion} criterion
   * @param {{ low: number, high: number }} range
   */
  function sliderRow(criterion, range) {
    criterion.control = sliderMount(criterion.row, range, {
      value: values[criterion.name],
      disabled: criterion.isFixed || criterion.isLater,
      changed: (value) => answerSet(criterion, value),
    });
  }

  /** @param {Criterion} criterion */
  function radios(criterion) {
    return elements(criterion.row, "input", HTMLInputElement);
  }

  /** @param {Criterion} criterion */
  function goTo(criterion) {
    if (!open.includes(criterion) || criterion === current) return;
    current = criterion;
    render();
  }

  /**
   * @param {Criterion} criterion
   * @param {number} value
   */
  function answerSet(criterion, value) {
    values[criterion.name] = value;
    said = null;
    render();
    page.changed();
  }

  /**
   * Its key chooses a step for the current criterion, and the next open question becomes the current one; digits set a
   * slider. Whether the key was one of them.
   *
   * @param {string} name
   */
  function choose(name) {
    if (current.control) {
      if (!/^[0-9]$/.test(name)) return false;
      focus(current);
      current.control.type(name);
      return true;
    }
    const index = current.keys.indexOf(name.toLowerCase());
    if (index < 0) return /^[0-9]$/.test(name);
    answerSet(current, current.steps[index].value);
    advance();
    return true;
  }

  /** On to the first question without an answer. */
  function advance() {
    focus(open.find((criterion) => values[criterion.name] === null) ?? current);
  }

  /** @param {number} by */
  function move(by) {
    const index = open.indexOf(current) + by;
    focus(open[Math.min(Math.max(index, 0), open.length - 1)]);
  }

  /** @param {Criterion} criterion */
  function focus(criterion) {
    current = criterion;
    render();
    const inputs = radios(criterion);
    const target = criterion.slider
      ? element(criterion.row, ".slider")
      : (inputs.find((input) => input.checked) ?? inputs[0]);
    target.focus({ preventScroll: true });
    criterion.row.scrollIntoView({ block: "nearest" });
  }

  function isWaiting() {
    return hasStages && !content.confirmed;
  }

  /** The Enter that ends a typed number submits nothing: it is seen, and heard, that another one does. */
  function settledSay() {
    const again = gettext("{value}. Enter again goes on.", { value: values[current.name] ?? "" });
    one("#hint").textContent = again;
    page.announce(again);
  }

  /** Confirm the first stage, submit, or say what is missing and go there. */
  function next() {
    const blank = open.find((criterion) => values[criterion.name] === null);
    if (current.control?.settle()) return blank ? focus(blank) : settledSay();
    if (blank) {
      said = { name: blank.name, message: gettext("Rate {what}.", { what: lower(blank.heading) }) };
      page.announce(said.message);
      focus(blank);
    } else if (isWaiting()) page.confirm();
    else page.submit();
  }

  /**
   * @param {string} name
   * @param {KeyboardEvent} event
   */
  function key(name, event) {
    /** @type {Record<string, number>} */
    const moves = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1 };
    const isOnSlider = Boolean(targetOf(event).closest(".slider"));
    if (name === "Enter") next();
    else if (choose(name)) return true;
    else if (name in moves && !(isOnSlider && name.startsWith("Arrow"))) move(moves[name]);
    else return false;
    return true;
  }

  // --- drawing ---

  /** What the first stage asks for, within a sentence. */
  function openNames() {
    return listWords(open.map(({ heading }) => lower(heading)));
  }

  function render() {
    for (const criterion of criteria) rowDraw(criterion);
    const label = isWaiting() ? gettext("Confirm {what}", { what: openNames() }) : page.submitWord;
    one("[data-label]").textContent = label;
    const left = open.filter((criterion) => values[criterion.name] === null).length;
    for (const stepper of elements(root, "[data-stepper]")) {
      stepper.textContent = gettext("{number} of {total}", {
        number: criteria.indexOf(current) + 1,
        total: criteria.length,
      });
    }
    one("#hint").textContent =
      left && open.length > 1 ? gettext("{left} of {total} to answer", { left, total: open.length }) : "";
  }

  /** @param {Criterion} criterion */
  function rowDraw(criterion) {
    const { row, name } = criterion;
    row.classList.toggle("current", criterion === current);
    row.classList.toggle("later", criterion.isLater);
    row.classList.toggle("fixed", criterion.isFixed);
    const problem = said?.name === name ? said.message : "";
    const hint = element(row, ".hint");
    hint.classList.toggle("problem", Boolean(problem));
    hint.textContent = problem || stage(criterion);
    const invalid = criterion.slider ? element(row, ".slider") : row;
    invalid.setAttribute("aria-invalid", String(Boolean(problem)));
    for (const [index, input] of radios(criterion).entries()) {
      input.checked = criterion.steps[index].value === values[name];
    }
  }

  /** @param {Criterion} criterion */
  function stage(criterion) {
    if (criterion.isFixed) return gettext("Confirmed, and fixed now");
    return criterion.isLater ? gettext("Comes after {what}", { what: openNames() }) : "";
  }

  render();

  const stepKeys = [...new Set(criteria.flatMap((criterion) => criterion.keys))];
  /** @type {KeyLine[]} */
  const keys = [];
  if (stepKeys.length) keys.push([keyRange(stepKeys).toUpperCase(), gettext("choose for the current question")]);
  if (criteria.some((criterion) => criterion.slider)) {
    keys.push(["0 … 9", gettext("type a value for the slider")]);
    keys.push(["← →", gettext("slider one less, one more (with Shift: ten)")]);
  }
  keys.push(["↑ ↓", gettext("question before, question after (or K and J)")]);
  return {
    key,
    keys,
    answer: () => ({ values: { ...values }, confirmed: hasStages && content.confirmed }),
    show(/** @type {Missing[]} */ missing) {
      const found = open.find((criterion) => criterion.name === missing[0].field) ?? current;
      said = { name: found.name, message: missing[0].message };
      focus(found);
    },
    confirmed() {
      focus(current);
      one(".context").scrollIntoView({ block: isOneByOne() ? "start" : "nearest" });
      page.announce(gettext("{what} is shown now.", { what: content.heading }));
    },
  };
}
