// Attribution: step through the sentences of a text and say what supports each. Where the whole source is there, its units are
// marked; where only citations are, every pair of a sentence and a cited unit is a step of its own.

import { element, elements, targetOf } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";
import { letter, lettersOf, Typed } from "../../assess/letters.js";
import { Search } from "./search.js";

/** @import { KeyLine, Missing, Mount } from "../page" */

/** @typedef {"full" | "partial" | "none" | "nothing"} Support */

/**
 * @typedef {object} Content
 * @property {"source" | "citations"} given
 * @property {{ text: string, cited: { number: number, text: string }[] }[]} sentences
 * @property {{ name: Support, label: string }[]} choices
 */

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
  const units = all("[data-unit]");
  const cited = all("[data-cited]");
  const buttons = elements(root, "[data-choice]", HTMLButtonElement);
  const typed = new Typed(units.length);
  const search = isMarking ? new Search(root, units, page, cursorTo) : null;
  let current = Math.max(
    0,
    steps.findIndex((step) => problem(step)),
  );
  let said = ""; // what is missing, once the assessor has tried to go on

  for (const [u, unit] of units.entries()) {
    element(unit, ".key").textContent = letter(u);
    unit.addEventListener("click", (event) => {
      const partner = targetOf(event).closest("[data-partner]");
      if (partner instanceof HTMLElement) go(Number(partner.dataset.partner));
      else if (!isSelecting()) toggle(u);
    });
  }
  for (const [s, row] of rows.entries()) {
    row.addEventListener("click", () => {
      if (!isSelecting()) go(firstOf(s));
    });
  }
  for (const button of buttons) {
    button.addEventListener("click", () => choose(/** @type {Support} */ (button.dataset.choice)));
  }
  for (const button of all("[data-move]")) button.addEventListener("click", () => move(Number(button.dataset.move)));
  one("[data-primary]").addEventListener("click", next);
  one("[data-fold]").addEventListener("click", () => fold(!one(".model").classList.contains("open")));

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

  /** A text that is dragged over is being copied, and not marked. */
  function isSelecting() {
    const selection = window.getSelection();
    return Boolean(selection && !selection.isCollapsed && root.contains(selection.anchorNode));
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

  /** @param {boolean} isOpen */
  function fold(isOpen) {
    one(".model").classList.toggle("open", isOpen);
    one("[data-fold]").setAttribute("aria-expanded", String(isOpen));
  }

  /** @param {number} index */
  function go(index) {
    if (!steps[index]) return;
    const hadFocus = rows.some((row) => row === document.activeElement);
    current = index;
    said = "";
    fold(false);
    render();
    const row = rows[steps[current].s];
    if (hadFocus) row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
    page.announce(placeOf(steps[current]));
  }

  /** @param {number} by */
  function move(by) {
    go(Math.min(Math.max(current + by, 0), steps.length - 1));
  }

  /** @param {number} u */
  function toggle(u) {
    const sentence = sentences[steps[current].s];
    const isMarked = !sentence.marks.includes(u + 1);
    sentence.marks = isMarked
      ? [...sentence.marks, u + 1].sort((a, b) => a - b)
      : sentence.marks.filter((mark) => mark !== u + 1);
    changed();
    page.announce(
      isMarked ? gettext("{unit} marked", { unit: letter(u) }) : gettext("{unit} not marked", { unit: letter(u) }),
    );
  }

  /** @param {Support} name */
  function choose(name) {
    const step = steps[current];
    const sentence = sentences[step.s];
    if (!isOffered(step, name)) {
      said = problem({ ...step }) || gettext("This sentence cites nothing.");
      render();
      return page.announce(said);
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
    changed();
    const label = labelOf(name);
    const following = followingOf();
    // Where nothing is marked, an answer needs nothing beside it, and the next question comes by itself.
    if (!isMarking && following >= 0) {
      go(following);
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

  /** The next step with something to do: after this one, else from the beginning. */
  function followingOf() {
    const later = steps.findIndex((step, index) => index > current && problem(step));
    return later >= 0 ? later : steps.findIndex((step) => problem(step));
  }

  function changed() {
    said = "";
    render();
    page.changed();
  }

  /** On to the next open step, or submit when there is none. */
  function next() {
    said = steps[current] ? problem(steps[current]) : "";
    if (said) {
      page.announce(said);
      return render();
    }
    const following = followingOf();
    if (following >= 0) go(following);
    else page.submit();
  }

  /** @param {number} u */
  function cursorTo(u) {
    for (const [index, unit] of units.entries()) unit.tabIndex = index === u ? 0 : -1;
    units[u]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} by */
  function cursor(by) {
    const at = units.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = at < 0 ? units.findIndex((unit) => unit.tabIndex === 0) : at + by;
    const u = Math.min(Math.max(to, 0), units.length - 1);
    cursorTo(u);
    units[u]?.focus({ preventScroll: true });
  }

  /**
   * @param {string} name
   * @param {boolean} isShifted
   */
  function letterTyped(name, isShifted) {
    const u = typed.unit(name, isShifted);
    if (u !== null && u >= 0) {
      toggle(u);
      units[u].scrollIntoView({ block: "nearest" });
      for (const unit of units) unit.classList.remove("lit");
      void units[u].offsetWidth; // begins the glow anew
      units[u].classList.add("lit");
    }
    render();
    return u === null || u >= 0;
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
    const unit = units.indexOf(/** @type {HTMLElement} */ (targetOf(event).closest("[data-unit]")));
    if (name === "Enter") next();
    else if (name === " " && units[unit]?.matches(":focus-visible")) toggle(unit);
    else if (name === "/" && search) search.begin();
    else if (name in moves) move(moves[name]);
    else if (name in cursors && isMarking) cursor(isMirrored() ? -cursors[name] : cursors[name]);
    else if (/^[1-4]$/.test(name)) choose(content.choices[Number(name) - 1].name);
    else if (/^[a-z]$/i.test(name) && isMarking) return letterTyped(name, event.shiftKey);
    else return false;
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
    const step = steps[current];
    if (!step) return;
    for (const [s, row] of rows.entries()) rowDraw(row, s, s === step.s);
    for (const [u, unit] of units.entries()) unitDraw(unit, u, step.s);
    for (const paragraph of cited) paragraph.hidden = paragraph.dataset.cited !== step.field;
    if (!isMarking) one("[data-uncited]").hidden = step.unit !== null;
    one("#question").textContent = questionOf(step);
    one("#hint").textContent = said || (typed.prefix && `${typed.prefix}…`) || hintOf(step) || "\u00a0";
    one("#hint").classList.toggle("problem", Boolean(said));
    const value = supportOf(step);
    for (const button of buttons) {
      const name = /** @type {Support} */ (button.dataset.choice);
      button.setAttribute("aria-pressed", String(name === value));
      button.disabled = !isOffered(step, name);
    }
    const isDone = !steps.some((other) => problem(other));
    one("[data-label]").textContent = isDone ? page.submitWord : gettext("Next");
    element(root, '[data-move="-1"]', HTMLButtonElement).disabled = current === 0;
    element(root, '[data-move="1"]', HTMLButtonElement).disabled = current === steps.length - 1;
    const done = steps.filter((other) => !problem(other)).length;
    one("[data-unit-place]").textContent = placeOf(step) + (done ? ` · ${ngettext("{n} done", "{n} done", done)}` : "");
    one("[data-fold]").textContent = gettext("{number} of {total}, {done} done", {
      number: current + 1,
      total: steps.length,
      done,
    });
  }

  /**
   * @param {HTMLElement} row
   * @param {number} s
   * @param {boolean} isCurrent
   */
  function rowDraw(row, s, isCurrent) {
    const own = steps.filter((step) => step.s === s);
    const isDone = own.every((step) => !problem(step));
    row.tabIndex = isCurrent ? 0 : -1;
    row.classList.toggle("done", isDone);
    if (isCurrent) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
    element(row, ".state").textContent = isCurrent ? (isMirrored() ? "◀" : "▶") : isDone ? "✓" : "·";
    const values = [...new Set(own.map(supportOf))];
    element(row, ".grade").textContent = values.filter(Boolean).map(labelOf).join(", ");
  }

  /**
   * @param {HTMLElement} unit
   * @param {number} u
   * @param {number} s the sentence that is asked about
   */
  function unitDraw(unit, u, s) {
    unit.setAttribute("aria-pressed", String(sentences[s].marks.includes(u + 1)));
    const elsewhere = sentences.flatMap((other, index) => (index !== s && other.marks.includes(u + 1) ? [index] : []));
    const arrow = isMirrored() ? "← " : "→ ";
    const links = elsewhere.flatMap((index, n) => [n ? ", " : arrow, partnerLink(index)]);
    const held = element(unit, ".elsewhere");
    if (held.textContent !== links.map((link) => (typeof link === "string" ? link : link.textContent)).join("")) {
      held.replaceChildren(...links);
    }
  }

  /** @param {number} s */
  function partnerLink(s) {
    const link = document.createElement("span");
    link.dataset.partner = String(s);
    link.textContent = String(s + 1);
    return link;
  }

  if (units.length) cursorTo(0);
  render();
  rows[steps[current]?.s]?.scrollIntoView({ block: "nearest" });

  /** @type {KeyLine[]} */
  const marking = [
    [
      "a b c",
      typed.isLong
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
      ["1 2 3 4", content.choices.map(({ label }) => label).join(", ")],
      ...(isMarking ? marking : []),
      ["↑ ↓", isMarking ? gettext("sentence before, after") : gettext("question before, after")],
    ],
    answer: () => ({ sentences }),
    show(/** @type {Missing[]} */ missing) {
      const index = steps.findIndex((step) => step.field === missing[0].field);
      if (index >= 0) go(index);
      said = missing[0].message;
      render();
      rows[steps[current].s]?.focus();
    },
  };
}
