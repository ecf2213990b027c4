// SEE: step through the model units, mark the peer units that share content, grade; then the quality of the peer.
//
// Model units, quality criteria and the question on unmarked units are all *steps* of one list, asked one at a time
// in the same place with the same keys.

import { element, elements } from "../../assess/dom.js";

/** @import { Missing, Mount } from "../page" */

/** @typedef {{ value: number, label: string }} Grade */

/**
 * @typedef {object} Content
 * @property {string} variant
 * @property {unknown[]} model its units
 * @property {Grade[]} grades of coverage
 * @property {Grade[]} levels of quality
 * @property {{ name: string, question: string }[]} quality
 * @property {string} related the question on unmarked units, or nothing
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

/**
 * The name of a peer unit, as the server writes it too: a … z, then aa, ab …, zz, aaa …
 *
 * @param {number} index
 * @returns {string}
 */
export function letter(index) {
  const before = Math.floor(index / 26);
  return (before ? letter(before - 1) : "") + String.fromCharCode(97 + (index % 26));
}

/**
 * Digits in the order of the scale; zero is always on 0.
 *
 * @param {Grade[]} scale
 */
function digits(scale) {
  return scale.map((grade, index) => (grade.value === 0 ? "0" : String(index + 1)));
}

/** @param {Iterable<number>} marks */
function lettersOf(marks) {
  return [...marks]
    .sort((a, b) => a - b)
    .map(letter)
    .join(", ");
}

const SCALES = /** @type {const} */ (["grades", "levels"]);

// --- steps --------------------------------------------------------------------------------------------------------

/**
 * A model unit, or the model as a whole: marks and a grade that must fit together.
 *
 * @param {string} field
 * @param {string} what
 * @param {string} place
 * @param {Grade[]} scale
 * @param {Partial<Unit>} given
 * @returns {CoverageStep}
 */
function coverageStep(field, what, place, scale, { marks = [], grade = null }) {
  return {
    field,
    place,
    scale,
    scaleName: "grades",
    marks: new Set(marks),
    value: grade,
    question: `How much of ${what} do the marked peer units express?`,
    hint() {
      if (this.marks.size) return `Marked: ${lettersOf(this.marks)}`;
      return this.value === 0 ? "Nothing marked" : "Mark what shares content with it.";
    },
    problem() {
      if (this.value === null) {
        return this.marks.size ? `Grade ${what}.` : `Grade ${what}: mark what matches it, or choose none.`;
      }
      if (this.marks.size && this.value === 0) {
        return `You marked units for ${what} but graded it none. Remove the marks or choose another grade.`;
      }
      if (!this.marks.size && this.value !== 0) return `Mark the peer units that match ${what}, or grade it none.`;
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
      return this.value === null ? `Choose a level for ${place.toLowerCase()}.` : "";
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
    return [coverageStep("coverage", "the model text", "Model text", grades, given)];
  }
  return model.map((_, index) =>
    coverageStep(
      `units.${index}`,
      `unit ${index + 1}`,
      `Unit ${index + 1} of ${model.length}`,
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
  return content.quality.map(({ name, question }) => {
    const place = name[0].toUpperCase() + name.slice(1);
    return levelStep(`quality.${name}`, place, `${place}: ${question}`, content.levels, answer.quality?.[name]);
  });
}

/**
 * @param {Content} content
 * @param {Partial<Answer>} answer
 * @param {() => number[]} unmarked
 */
function relatedSteps(content, answer, unmarked) {
  if (!content.related) return [];
  const step = levelStep("related", "Unmarked units", content.related, content.levels, answer.related);
  step.hint = () =>
    unmarked().length ? `Unmarked: ${lettersOf(unmarked())}` : "Every unit is marked: nothing to ask.";
  step.problem = () =>
    step.value === null && unmarked().length ? "Say how many of the unmarked units are related." : "";
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
  const keysOf = { grades: digits(content.grades), levels: digits(content.levels) };
  let current = Math.max(
    0,
    steps.findIndex((step) => step.problem()),
  );
  let said = ""; // what is missing, once the assessor has tried to go on

  for (const [p, peer] of peers.entries()) {
    element(peer, ".key").textContent = letter(p);
    peer.addEventListener("click", () => toggle(p));
  }
  for (const [s, row] of rows.entries()) row.addEventListener("click", () => go(s));
  for (const name of SCALES) {
    for (const [v, button] of [...scales[name].children].entries()) {
      element(button, ".key").textContent = keysOf[name][v];
      button.addEventListener("click", () => choose(v));
    }
  }
  for (const button of all("[data-move]")) button.addEventListener("click", () => move(Number(button.dataset.move)));
  one("[data-primary]").addEventListener("click", next);
  one("[data-fold]").addEventListener("click", () => fold(!one(".model").classList.contains("open")));

  /** @param {boolean} isOpen */
  function fold(isOpen) {
    one(".model").classList.toggle("open", isOpen);
    one("[data-fold]").setAttribute("aria-expanded", String(isOpen));
  }

  /** @param {number} index */
  function go(index) {
    const hadFocus = rows.some((row) => row === document.activeElement);
    current = index;
    said = "";
    fold(false);
    render();
    if (hadFocus) rows[current].focus({ preventScroll: true });
    rows[current].scrollIntoView({ block: "nearest" });
    page.announce(steps[current].place);
  }

  /** @param {number} by */
  function move(by) {
    go(Math.min(Math.max(current + by, 0), steps.length - 1));
  }

  /** @param {number} p */
  function toggle(p) {
    const { marks } = steps[current];
    if (!marks) return page.announce("Marks belong to model units. Go to a unit first.");
    if (!marks.delete(p)) marks.add(p);
    changed();
  }

  /** @param {number} v */
  function choose(v) {
    const step = steps[current];
    step.value = step.scale[v].value;
    changed();
    // A quality level needs nothing beside it, so the next question comes by itself; a unit may still lack marks.
    const following = steps.findIndex((other) => other.problem());
    if (!step.marks && following >= 0) go(following);
  }

  function changed() {
    said = "";
    render();
    page.changed();
  }

  /** On to the next open step, or submit when there is none. */
  function next() {
    said = steps[current].problem();
    if (said) {
      page.announce(said);
      return render();
    }
    const later = steps.findIndex((step, index) => index > current && step.problem());
    const following = later >= 0 ? later : steps.findIndex((step) => step.problem());
    if (following >= 0) go(following);
    else page.submit();
  }

  /** @param {number} by */
  function cursor(by) {
    const at = peers.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = at < 0 ? peers.findIndex((peer) => peer.tabIndex === 0) : at + by;
    const peer = peers[Math.min(Math.max(to, 0), peers.length - 1)];
    for (const other of peers) other.tabIndex = other === peer ? 0 : -1;
    peer?.focus();
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
    if (name === "Enter") next();
    else if (name in moves) move(moves[name]);
    else if (name in cursors) cursor(cursors[name]);
    else if (/^[0-9]$/.test(name)) {
      const v = keysOf[steps[current].scaleName].indexOf(name);
      if (v >= 0) choose(v);
    } else if (/^[a-z]$/i.test(name)) {
      const p = name.toLowerCase().charCodeAt(0) - 97 + (event.shiftKey ? 26 : 0);
      if (p < peers.length) toggle(p);
    } else return false;
    return true;
  }

  // --- drawing ---

  function render() {
    const step = steps[current];
    for (const [s, row] of rows.entries()) rowDraw(row, steps[s], s === current);
    for (const [p, peer] of peers.entries()) peerDraw(peer, p, step);
    one("#question").textContent = step.question;
    one("#hint").textContent = said || step.hint() || "\u00a0";
    one("#hint").classList.toggle("problem", Boolean(said));
    for (const name of SCALES) {
      scales[name].hidden = name !== step.scaleName;
      for (const [v, button] of [...scales[name].children].entries()) {
        const isChosen = step.scale[v]?.value === step.value && name === step.scaleName;
        button.setAttribute("aria-pressed", String(isChosen));
      }
    }
    const isDone = !steps.some((other) => other.problem());
    one("[data-label]").textContent = isDone ? "Submit" : "Next";
    element(root, '[data-move="-1"]', HTMLButtonElement).disabled = current === 0;
    element(root, '[data-move="1"]', HTMLButtonElement).disabled = current === steps.length - 1;
    const done = steps.filter((other) => !other.problem()).length;
    one("[data-fold]").textContent = `${current + 1} of ${steps.length}, ${done} done`;
  }

  /**
   * @param {HTMLElement} row
   * @param {Step} step
   * @param {boolean} isCurrent
   */
  function rowDraw(row, step, isCurrent) {
    const isDone = !step.problem();
    row.tabIndex = isCurrent ? 0 : -1;
    row.classList.toggle("done", isDone);
    if (isCurrent) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
    element(row, ".state").textContent = isCurrent ? "▶" : isDone ? "✓" : "·";
    const chosen = step.scale.find((grade) => grade.value === step.value);
    element(row, ".grade").textContent = chosen ? chosen.label : "";
  }

  /**
   * @param {HTMLElement} peer
   * @param {number} p
   * @param {Step} step
   */
  function peerDraw(peer, p, step) {
    const isMarked = Boolean(step.marks?.has(p));
    const elsewhere = coverage.flatMap((other, u) => (other !== step && other.marks.has(p) ? [u + 1] : []));
    peer.setAttribute("aria-pressed", String(isMarked));
    peer.classList.toggle("resting", !step.marks);
    const isNumbered = content.variant !== "duc2004";
    element(peer, ".elsewhere").textContent = isNumbered && elsewhere.length ? `→ ${elsewhere.join(", ")}` : "";
  }

  for (const [p, peer] of peers.entries()) peer.tabIndex = p === 0 ? 0 : -1;
  render();
  rows[current].scrollIntoView({ block: "nearest" });

  return {
    key,
    keys: [
      [`${keysOf.grades[0]} … ${keysOf.grades.at(-1)}`, "grade"],
      ["a b c", "mark or unmark a peer unit (Shift for aa, ab …)"],
      ["← →", "move through the peer units"],
      ["space", "mark or unmark the one with the focus"],
      ["↑ ↓", "model unit before, model unit after"],
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
      if (index >= 0) go(index);
      said = missing[0].message;
      render();
      rows[current].focus();
    },
  };
}
