// SEE: step through the model units, mark the peer units that share content, grade; then the quality of the peer.
//
// Model units, quality criteria and the question on unmarked units are all *steps* of one list, asked one at a time
// in the same place with the same keys.

import { isSelecting, markSaid, rowDraw, Steps, Units } from "../../assess/alignment.js";
import { element, elements, targetOf } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";
import { lettersOf } from "../../assess/letters.js";
import { keyRange, keysOf } from "../../assess/scales.js";

/** @import { Missing, Mount } from "../page" */

/** @typedef {{ value: number, label: string }} Grade */

/**
 * @typedef {object} Content
 * @property {string} variant
 * @property {unknown[]} model its units
 * @property {Grade[]} grades of coverage
 * @property {Grade[]} levels of quality
 * @property {{ name: string, heading: string, question: string }[]} quality
 * @property {string} related the question on unmarked units, or nothing
 * @property {boolean} advance on to the next unit as soon as grade and marks agree
 */

/** @typedef {{ marks: number[], grade: number | null }} Unit */

/**
 * @typedef {object} Answer
 * @property {Unit[]} units
 * @property {number[]} marks
 * @property {number | null} coverage
 * @property {Record<string, number | null>} quality
 * @property {number | null} related
 */

/**
 * @typedef {object} Step
 * @property {string} field
 * @property {string} place
 * @property {Grade[]} scale
 * @property {"grades" | "levels"} scaleName
 * @property {Set<number> | null} marks
 * @property {number | null} value
 * @property {string} question
 * @property {() => string} hint
 * @property {() => string} problem
 */

/** @typedef {Step & { marks: Set<number> }} CoverageStep */

const SCALES = /** @type {const} */ (["grades", "levels"]);

// --- steps --------------------------------------------------------------------------------------------------------

/**
 * What is said of a model unit. A language may need other words for it in each sentence, so that every sentence is whole.
 *
 * @param {number} number
 */
function ofUnit(number) {
  return {
    question: gettext("How much of unit {number} do the marked peer units express?", { number }),
    ungraded: gettext("Grade unit {number}.", { number }),
    untouched: gettext("Grade unit {number}: mark what matches it, or choose none.", { number }),
    markedAndNone: gettext(
      "You marked units for unit {number} but graded it none. Remove the marks or choose another grade.",
      { number },
    ),
    unmarked: gettext("Mark the peer units that match unit {number}, or grade it none.", { number }),
  };
}

/** The same of the model as a whole. */
function ofModel() {
  return {
    question: gettext("How much of the model text do the marked peer units express?"),
    ungraded: gettext("Grade the model text."),
    untouched: gettext("Grade the model text: mark what matches it, or choose none."),
    markedAndNone: gettext(
      "You marked units for the model text but graded it none. Remove the marks or choose another grade.",
    ),
    unmarked: gettext("Mark the peer units that match the model text, or grade it none."),
  };
}

/**
 * A model unit, or the model as a whole: marks and a grade that must fit together.
 *
 * @param {string} field
 * @param {number} number of the unit; 0: the model as a whole
 * @param {string} place
 * @param {Grade[]} scale
 * @param {Partial<Unit>} given
 * @returns {CoverageStep}
 */
function coverageStep(field, number, place, scale, { marks = [], grade = null }) {
  const say = number ? ofUnit(number) : ofModel();
  return {
    field,
    place,
    scale,
    scaleName: "grades",
    marks: new Set(marks),
    value: grade,
    question: say.question,
    hint() {
      if (this.marks.size) return gettext("Marked: {units}", { units: lettersOf(this.marks) });
      return this.value === 0 ? gettext("Nothing marked") : gettext("Mark what shares content with it.");
    },
    problem() {
      if (this.value === null) {
        return this.marks.size ? say.ungraded : say.untouched;
      }
      if (this.marks.size && this.value === 0) {
        return say.markedAndNone;
      }
      if (!this.marks.size && this.value !== 0) return say.unmarked;
      return "";
    },
  };
}

/**
 * @param {string} field
 * @param {string} place
 * @param {string} question
 * @param {Grade[]} scale
 * @param {number | null | undefined} value
 * @returns {Step}
 */
function levelStep(field, place, question, scale, value) {
  return {
    field,
    place,
    scale,
    scaleName: "levels",
    marks: null,
    value: value ?? null,
    question,
    hint: () => "",
    problem() {
      return this.value === null ? gettext("{what}: choose a level.", { what: place }) : "";
    },
  };
}

/**
 * @param {Content} content
 * @param {Partial<Answer>} answer
 */
function coverageSteps(content, answer) {
  const { grades, model } = content;
  if (content.variant === "duc2004") {
    const given = { marks: answer.marks, grade: answer.coverage };
    return [coverageStep("coverage", 0, gettext("Model text"), grades, given)];
  }
  return model.map((_, index) =>
    coverageStep(
      `units.${index}`,
      index + 1,
      gettext("Unit {number} of {total}", { number: index + 1, total: model.length }),
      grades,
      answer.units?.[index] ?? {},
    ),
  );
}

/**
 * @param {Content} content
 * @param {Partial<Answer>} answer
 */
function qualitySteps(content, answer) {
  return content.quality.map(({ name, heading, question }) =>
    levelStep(`quality.${name}`, heading, `${heading}: ${question}`, content.levels, answer.quality?.[name]),
  );
}

/**
 * @param {Content} content
 * @param {Partial<Answer>} answer
 * @param {() => number[]} unmarked
 */
function relatedSteps(content, answer, unmarked) {
  if (!content.related) return [];
  const step = levelStep("related", gettext("Unmarked units"), content.related, content.levels, answer.related);
  step.hint = () =>
    unmarked().length
      ? gettext("Unmarked: {units}", { units: lettersOf(unmarked()) })
      : gettext("Every unit is marked: nothing to ask.");
  step.problem = () =>
    step.value === null && unmarked().length ? gettext("Say how many of the unmarked units are related.") : "";
  return [step];
}

// --- the page -----------------------------------------------------------------------------------------------------

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const all = (/** @type {string} */ selector) => elements(root, selector);
  const one = (/** @type {string} */ selector) => element(root, selector);
  const peers = all("[data-peer]");
  const coverage = coverageSteps(content, answer);
  const unmarked = () => peers.map((_, p) => p).filter((p) => !coverage.some((step) => step.marks.has(p)));
  /** @type {Step[]} */
  const steps = [...coverage, ...qualitySteps(content, answer), ...relatedSteps(content, answer, unmarked)];
  const rows = steps.map((step) => one(`[data-step="${step.field}"]`));
  /** @type {Record<Step["scaleName"], HTMLElement>} */
  const scales = { grades: one('[data-scale="grades"]'), levels: one('[data-scale="levels"]') };
  /** @type {Record<Step["scaleName"], string[]>} */
  const digits = { grades: keysOf(content.grades), levels: keysOf(content.levels) };
  const grading = one("[data-grading]");
  const desk = one(".see-desk");
  const isWide = window.matchMedia("(min-width: 801px)");
  const asked = new Steps(root, steps, page, {
    problem: (step) => step.problem(),
    place: (step) => step.place,
    row: (step) => rows[steps.indexOf(step)],
    render,
  });
  const units = new Units(root, peers, { toggle, go: (partner) => asked.go(partner) });

  for (const [p, peer] of peers.entries()) {
    // Whatever is linked with this unit lights up with it, under the pointer and with the focus alike.
    peer.addEventListener("pointerover", (event) => partnersLight(p, targetOf(event).closest("[data-partner]")));
    peer.addEventListener("pointerleave", () => partnersLight(-1, null));
    peer.addEventListener("focusin", () => partnersLight(p, null));
    peer.addEventListener("focusout", () => partnersLight(-1, null));
  }
  for (const [s, row] of rows.entries()) {
    row.addEventListener("click", () => {
      if (!isSelecting(root)) asked.go(s);
    });
  }
  isWide.addEventListener("change", gradingPlace);
  for (const name of SCALES) {
    for (const [v, button] of [...scales[name].children].entries()) {
      element(button, ".key").textContent = digits[name][v];
      button.addEventListener("click", () => choose(v));
    }
  }

  /**
   * The model units that a peer unit is marked for, or the one of them that is pointed at.
   *
   * @param {number} p
   * @param {Element | null} pointed
   */
  function partnersLight(p, pointed) {
    const only = pointed instanceof HTMLElement ? Number(pointed.dataset.partner) : -1;
    for (const [s, step] of steps.entries()) {
      const isPartner = p >= 0 && Boolean(step.marks?.has(p)) && (only < 0 || only === s);
      rows[s].classList.toggle("partner", isPartner && s !== asked.current);
    }
    if (only >= 0) rows[only].scrollIntoView({ block: "nearest" });
  }

  /** Beside the unit that it is about; on a narrow screen under the thumb, and so for a model that is judged whole. */
  function gradingPlace() {
    const isBeside = isWide.matches && asked.step.field !== "coverage";
    const home = isBeside ? (rows[asked.current].parentElement ?? desk) : desk;
    if (grading.parentElement === home) return;
    const active = document.activeElement;
    if (isBeside) home.append(grading);
    else element(desk, ".ask").after(grading);
    desk.classList.toggle("slim", isBeside);
    if (active instanceof HTMLElement && grading.contains(active)) active.focus({ preventScroll: true });
  }

  /** @param {number} p */
  function toggle(p) {
    const { marks } = asked.step;
    if (!marks) return page.announce(gettext("Marks belong to model units. Go to a unit first."));
    const isMarked = !marks.delete(p);
    if (isMarked) marks.add(p);
    asked.changed();
    page.announce(markSaid(p, isMarked));
  }

  /** @param {number} v */
  function choose(v) {
    const { step } = asked;
    step.value = step.scale[v].value;
    asked.changed();
    page.announce(step.scale[v].label);
    // A quality level needs nothing beside it, so the next question comes by itself; a unit may still lack marks.
    const following = asked.following();
    if ((!step.marks || (content.advance && !step.problem())) && following >= 0) {
      asked.go(following);
      page.announce(`${step.scale[v].label}. ${steps[following].place}`);
    }
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
    else if (name in moves) asked.move(moves[name]);
    else if (name in cursors) units.cursor(isMirrored() ? -cursors[name] : cursors[name]);
    else if (/^[0-9]$/.test(name)) {
      const v = digits[asked.step.scaleName].indexOf(name);
      if (v >= 0) choose(v);
    } else if (/^[a-z]$/i.test(name)) {
      const isUsed = units.letterTyped(name, event.shiftKey);
      render();
      return isUsed;
    } else return false;
    return true;
  }

  function isMirrored() {
    return getComputedStyle(one(".peer .units")).direction === "rtl";
  }

  // --- drawing ---

  function render() {
    const { step } = asked;
    for (const [s, row] of rows.entries()) {
      const isCurrent = s === asked.current;
      const chosen = steps[s].scale.find((grade) => grade.value === steps[s].value);
      const state = { isCurrent, isDone: !steps[s].problem(), isMirrored: isMirrored(), said: chosen?.label ?? "" };
      rowDraw(row, state);
    }
    for (const [p, peer] of peers.entries()) peerDraw(peer, p, step);
    gradingPlace();
    for (const name of SCALES) {
      scales[name].hidden = name !== step.scaleName;
      for (const [v, button] of [...scales[name].children].entries()) {
        const isChosen = step.scale[v]?.value === step.value && name === step.scaleName;
        button.setAttribute("aria-pressed", String(isChosen));
      }
    }
    asked.draw(step.question, units.begun || step.hint());
  }

  /**
   * @param {HTMLElement} peer
   * @param {number} p
   * @param {Step} step
   */
  function peerDraw(peer, p, step) {
    const isNumbered = content.variant !== "duc2004";
    const elsewhere = coverage.flatMap((other, u) => (other !== step && other.marks.has(p) ? [u] : []));
    units.draw(p, Boolean(step.marks?.has(p)), isNumbered ? elsewhere : [], isMirrored());
    peer.classList.toggle("resting", !step.marks);
  }

  render();
  rows[asked.current].scrollIntoView({ block: "nearest" });

  return {
    key,
    keys: [
      [keyRange(digits.grades), gettext("grade: more is higher")],
      [
        "a b c",
        units.typed.isLong
          ? gettext("mark or unmark a peer unit (Shift with the first letter of aa, ab … bc …)")
          : gettext("mark or unmark a peer unit (Shift for aa, ab …)"),
      ],
      ["← →", gettext("move through the peer units")],
      [gettext("space"), gettext("mark or unmark the one with the focus")],
      ["↑ ↓", gettext("model unit before, model unit after")],
    ],
    answer() {
      const value = (/** @type {string} */ field) => steps.find((step) => step.field === field)?.value ?? null;
      const marksOf = (/** @type {CoverageStep} */ step) => [...step.marks].sort((a, b) => a - b);
      const isWhole = content.variant === "duc2004";
      return {
        units: isWhole ? [] : coverage.map((step) => ({ marks: marksOf(step), grade: step.value })),
        marks: isWhole ? marksOf(coverage[0]) : [],
        coverage: isWhole ? coverage[0].value : null,
        quality: Object.fromEntries(content.quality.map(({ name }) => [name, value(`quality.${name}`)])),
        related: value("related"),
      };
    },
    show(/** @type {Missing[]} */ missing) {
      const index = steps.findIndex((step) => step.field === missing[0].field);
      asked.show(index, missing[0].message);
    },
  };
}
