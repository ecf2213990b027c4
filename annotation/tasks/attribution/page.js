// Attribution: step through the sentences of a text and say what supports each. Where the whole source is there, its units are
// marked; where only citations are, every pair of a sentence and a cited unit is a step of its own.

import { isSelecting, markSaid, rowDraw, Steps, Units } from "../../assess/alignment.js";
import { element, elements } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";
import { lettersOf } from "../../assess/letters.js";
import { keysOf } from "../../assess/scales.js";
import { Search } from "./search.js";

/** @import { KeyLine, Missing, Mount } from "../page" */

/** @typedef {"full" | "partial" | "none" | "nothing"} Support */

/**
 * @typedef {object} Content
 * @property {"source" | "citations"} given
 * @property {{ text: string, cited: { number: number, text: string }[] }[]} sentences
 * @property {{ name: Support, label: string, value: number | null }[]} choices
 */

const NO_GRADE = "-"; // the key of what is no grade: that there is nothing to support

/** @typedef {{ support: Support | null, marks: number[], citations: Record<string, Support> }} Sentence */
/** @typedef {{ sentences: Sentence[] }} Answer */

/**
 * A question: on a sentence, or on a sentence and a unit that it cites.
 *
 * @typedef {{ field: string, s: number, unit: number | null }} Step
 */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const all = (/** @type {string} */ selector) => elements(root, selector);
  const one = (/** @type {string} */ selector) => element(root, selector);
  const isMarking = content.given === "source";
  /** @type {Sentence[]} */
  const sentences = content.sentences.map((_, s) => ({
    support: answer.sentences?.[s]?.support ?? null,
    marks: [...(answer.sentences?.[s]?.marks ?? [])],
    citations: { ...answer.sentences?.[s]?.citations },
  }));
  const steps = content.sentences.flatMap((sentence, s) => stepsOf(sentence, s));
  const rows = all("[data-sentence]");
  const marked = all("[data-unit]");
  const cited = all("[data-cited]");
  const buttons = elements(root, "[data-choice]", HTMLButtonElement);
  const asked = new Steps(root, steps, page, { problem, place: placeOf, row: ({ s }) => rows[s], render });
  const units = new Units(root, marked, { toggle, go: (partner) => asked.go(partner) });
  const search = isMarking ? new Search(root, marked, page, (u) => units.cursorTo(u)) : null;

  for (const [s, row] of rows.entries()) {
    row.addEventListener("click", () => {
      if (!isSelecting(root)) asked.go(firstOf(s));
    });
  }
  const grades = content.choices.flatMap(({ label, value }) => (value === null ? [] : { label, value }));
  const gradeKeys = keysOf(grades);
  const keys = content.choices.map(
    ({ value }) => gradeKeys[grades.findIndex((one) => one.value === value)] ?? NO_GRADE,
  );
  for (const [index, button] of buttons.entries()) {
    element(button, ".key").textContent = keys[index];
    button.addEventListener("click", () => choose(content.choices[index].name));
  }

  /**
   * @param {Content["sentences"][number]} sentence
   * @param {number} s
   * @returns {Step[]}
   */
  function stepsOf(sentence, s) {
    if (isMarking || !sentence.cited.length) return [{ field: `sentences.${s}`, s, unit: null }];
    return sentence.cited.map(({ number }) => ({ field: `sentences.${s}.${number}`, s, unit: number }));
  }

  /** @param {Step} step */
  function supportOf({ s, unit }) {
    const { support, citations } = sentences[s];
    return unit === null ? support : support === "nothing" ? support : (citations[unit] ?? null);
  }

  /**
   * What keeps a step from being done, in the words of the server.
   *
   * @param {Step} step
   */
  function problem(step) {
    const number = step.s + 1;
    const value = supportOf(step);
    const isMarked = sentences[step.s].marks.length > 0;
    if (step.unit !== null) {
      return value ? "" : gettext("Say how far unit {unit} supports sentence {number}.", { number, unit: step.unit });
    }
    if (!isMarking) {
      return value
        ? ""
        : gettext("Sentence {number} cites nothing: choose no support, or nothing to support.", { number });
    }
    if (!value) {
      return isMarked
        ? gettext("Say how far the marked units support sentence {number}.", { number })
        : gettext("Sentence {number}: mark what supports it, or choose no support.", { number });
    }
    const isSupported = value === "full" || value === "partial";
    if (isSupported && !isMarked) {
      return gettext("Mark what supports sentence {number}, or choose no support.", { number });
    }
    if (!isSupported && isMarked) {
      return gettext(
        "You marked units for sentence {number}, but say that none supports it. Remove the marks or choose another answer.",
        { number },
      );
    }
    return "";
  }

  /**
   * The step of a sentence that is not done, else its first.
   *
   * @param {number} s
   */
  function firstOf(s) {
    const open = steps.findIndex((step) => step.s === s && problem(step));
    return open >= 0 ? open : steps.findIndex((step) => step.s === s);
  }

  /** @param {number} u */
  function toggle(u) {
    const sentence = sentences[asked.step.s];
    const isMarked = !sentence.marks.includes(u + 1);
    sentence.marks = isMarked
      ? [...sentence.marks, u + 1].sort((a, b) => a - b)
      : sentence.marks.filter((mark) => mark !== u + 1);
    asked.changed();
    page.announce(markSaid(u, isMarked));
  }

  /** @param {Support} name */
  function choose(name) {
    const { step } = asked;
    const sentence = sentences[step.s];
    if (!isOffered(step, name)) {
      asked.said = problem({ ...step }) || gettext("This sentence cites nothing.");
      render();
      return page.announce(asked.said);
    }
    const isPair = step.unit !== null;
    if (step.unit !== null && name !== "nothing") {
      sentence.support = null;
      sentence.citations[step.unit] = name;
    } else {
      // That a sentence claims nothing is said of all that it cites.
      sentence.support = name;
      sentence.citations = {};
    }
    asked.changed();
    const label = labelOf(name);
    const following = asked.following();
    // Where nothing is marked, an answer needs nothing beside it, and the next question comes by itself.
    if (!isMarking && following >= 0) {
      asked.go(following);
      page.announce(`${label}. ${placeOf(steps[following])}`);
    } else page.announce(isPair || !problem(step) ? label : `${label}. ${problem(step)}`);
  }

  /**
   * What cites nothing is supported by nothing.
   *
   * @param {Step} step
   * @param {Support} name
   */
  function isOffered(step, name) {
    return isMarking || step.unit !== null || name === "none" || name === "nothing";
  }

  /** @param {Support | null} name */
  function labelOf(name) {
    return content.choices.find((choice) => choice.name === name)?.label ?? "";
  }

  /**
   * @param {string} name
   * @param {KeyboardEvent} event
   */
  function key(name, event) {
    /** @type {Record<string, number>} */
    const moves = { ArrowUp: -1, ArrowDown: 1 };
    /** @type {Record<string, number>} */
    const cursors = { ArrowLeft: -1, ArrowRight: 1 };
    const unit = units.focused(event);
    if (name === "Enter") asked.next();
    else if (name === " " && unit >= 0) toggle(unit);
    else if (name === "/" && search) search.begin();
    else if (name in moves) asked.move(moves[name]);
    else if (name in cursors && isMarking) units.cursor(isMirrored() ? -cursors[name] : cursors[name]);
    else if (keys.includes(name)) choose(content.choices[keys.indexOf(name)].name);
    else if (/^[a-z]$/i.test(name) && isMarking) {
      const isUsed = units.letterTyped(name, event.shiftKey);
      render();
      return isUsed;
    } else return false;
    return true;
  }

  function isMirrored() {
    return getComputedStyle(one(".model .units")).direction === "rtl";
  }

  // --- drawing ---

  /** @param {Step} step */
  function placeOf({ s, unit }) {
    const place = gettext("Sentence {number} of {total}", { number: s + 1, total: sentences.length });
    if (unit === null) return place;
    const numbers = content.sentences[s].cited.map(({ number }) => number);
    const words = { number: numbers.indexOf(unit) + 1, total: numbers.length };
    return `${place} · ${gettext("citation {number} of {total}", words)}`;
  }

  /** @param {Step} step */
  function questionOf({ s, unit }) {
    const number = s + 1;
    if (unit !== null) return gettext("How far does what is cited support sentence {number}?", { number });
    if (!isMarking) return gettext("Sentence {number} cites nothing. Does it claim anything?", { number });
    return gettext("How far do the marked units support sentence {number}?", { number });
  }

  /** @param {Step} step */
  function hintOf(step) {
    if (!isMarking) return "";
    const { marks, support } = sentences[step.s];
    if (marks.length) return gettext("Marked: {units}", { units: lettersOf(marks.map((mark) => mark - 1)) });
    return support ? gettext("Nothing marked") : gettext("Mark what supports it.");
  }

  function render() {
    const { step } = asked;
    if (!step) return;
    for (const [s, row] of rows.entries()) sentenceDraw(row, s, s === step.s);
    for (const u of marked.keys()) {
      const isElsewhere = (/** @type {number} */ s) => s !== step.s && sentences[s].marks.includes(u + 1);
      const elsewhere = [...sentences.keys()].filter(isElsewhere);
      units.draw(u, sentences[step.s].marks.includes(u + 1), elsewhere, isMirrored());
    }
    for (const paragraph of cited) paragraph.hidden = paragraph.dataset.cited !== step.field;
    if (!isMarking) one("[data-uncited]").hidden = step.unit !== null;
    const value = supportOf(step);
    for (const button of buttons) {
      const name = /** @type {Support} */ (button.dataset.choice);
      button.setAttribute("aria-pressed", String(name === value));
      button.disabled = !isOffered(step, name);
    }
    asked.draw(questionOf(step), units.begun || hintOf(step));
  }

  /**
   * @param {HTMLElement} row
   * @param {number} s
   * @param {boolean} isCurrent
   */
  function sentenceDraw(row, s, isCurrent) {
    const own = steps.filter((step) => step.s === s);
    const values = [...new Set(own.map(supportOf))];
    rowDraw(row, {
      isCurrent,
      isDone: own.every((step) => !problem(step)),
      isMirrored: isMirrored(),
      said: values.filter(Boolean).map(labelOf).join(", "),
    });
  }

  render();
  rows[asked.step?.s]?.scrollIntoView({ block: "nearest" });

  /** @type {KeyLine[]} */
  const marking = [
    [
      "a b c",
      units.typed.isLong
        ? gettext("mark or unmark a unit of the source (Shift with the first letter of aa, ab … bc …)")
        : gettext("mark or unmark a unit of the source (Shift for aa, ab …)"),
    ],
    ["← →", gettext("move through the units of the source")],
    [gettext("space"), gettext("mark or unmark the one with the focus")],
    ["/", gettext("find in the source")],
  ];

  return {
    key,
    keys: [
      [keys.join(" "), content.choices.map(({ label }) => label).join(", ")],
      ...(isMarking ? marking : []),
      ["↑ ↓", isMarking ? gettext("sentence before, after") : gettext("question before, after")],
    ],
    answer: () => ({ sentences }),
    show(/** @type {Missing[]} */ missing) {
      const index = steps.findIndex((step) => step.field === missing[0].field);
      asked.show(index, missing[0].message);
    },
  };
}
