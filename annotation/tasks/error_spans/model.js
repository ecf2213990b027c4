// The answer about error spans as it stands, and the way back through it. Nothing here knows the page.

import { gettext, ngettext } from "../../assess/gettext.js";
import { joined, overlaps } from "../../assess/offsets.js";

/** @import { Part } from "../../assess/offsets.js" */

/**
 * @typedef {object} Span
 * @property {Part[]} parts
 * @property {"output" | "source" | "missing"} side
 * @property {string} severity
 * @property {string} category
 * @property {string} note
 * @property {boolean | null} true
 * @property {number | null} suggestion
 * @property {boolean} kept
 */

/** @typedef {{ spans: Span[], none: boolean, score: number | null }} Unit */
/** @typedef {{ units: Unit[], score: number | null }} Output */
/** @typedef {{ winner: number | null, tie: boolean }} Preferred */
/** @typedef {{ output: number, unit: number, found: boolean }} Injected */
/** @typedef {{ outputs: Output[], removed: number[], preference: Preferred, injected: Injected | null }} Answer */

/** @typedef {{ name: string, weight: number }} Severity */
/** @typedef {{ low: number, high: number, labels: Record<string, string>, warn_below: number | null }} Scale */
/** @typedef {{ number: number, context: boolean, source: string | null, outputs: (string | null)[] }} Line */

/**
 * @typedef {object} Content what the server gives
 * @property {string[]} letters
 * @property {boolean} aligned
 * @property {Line[]} rows
 * @property {[first: number, count: number][]} numbers of the units that each output's answer speaks of
 * @property {Severity[]} severities
 * @property {"free" | string[]} categories
 * @property {string[]} notes
 * @property {string[]} whole_unit
 * @property {string} heaviest
 * @property {boolean} marks_source
 * @property {boolean} names_outputs
 * @property {string} omission_category
 * @property {boolean} missing
 * @property {"required" | "optional"} span
 * @property {string} question
 * @property {number} max_errors
 * @property {boolean} overlap
 * @property {"word" | "letter"} snap
 * @property {Scale | null} score
 * @property {Scale} scale
 * @property {boolean} document_score
 * @property {"all" | "stepwise"} reveal
 * @property {"all" | "each"} confirm
 * @property {boolean} preference
 * @property {{ place: number, unit: number, span: Span }[]} suggested
 * @property {{ place: number, unit: number } | null} check
 * @property {Injected | null} injected
 */

/** @typedef {{ place: number, number: number, index: number }} Ref where a span is in the answer */

/** @param {Partial<Span>} [given] @returns {Span} */
export function spanOf(given = {}) {
  return {
    parts: [],
    side: "output",
    severity: "",
    category: "",
    note: "",
    true: null,
    suggestion: null,
    kept: false,
    ...given,
  };
}

/** A span by name, as elements of the page have it. @param {Ref} ref */
export function idOf({ place, number, index }) {
  return `${place}.${number}.${index}`;
}

/** @param {string} id @returns {Ref} */
export function refOf(id) {
  const [place, number, index] = id.split(".").map(Number);
  return { place, number, index };
}

/**
 * The answer to begin with: what was saved, in full length, or what is suggested.
 *
 * @param {Content} content
 * @param {Partial<Answer>} saved
 * @returns {Answer}
 */
export function answerOf(content, saved) {
  const outputs = content.numbers.map(([, count], place) => ({
    units: Array.from({ length: count }, (_, index) => {
      const unit = saved.outputs?.[place]?.units?.[index];
      return { spans: (unit?.spans ?? []).map(spanOf), none: unit?.none ?? false, score: unit?.score ?? null };
    }),
    score: saved.outputs?.[place]?.score ?? null,
  }));
  if (!saved.outputs?.length) {
    for (const [index, { place, unit, span }] of content.suggested.entries()) {
      const spans = outputs[place].units[unit - content.numbers[place][0]].spans;
      spans.push(spanOf({ ...span, suggestion: index }));
    }
  }
  return {
    outputs,
    removed: [...(saved.removed ?? [])],
    preference: { winner: null, tie: false, ...saved.preference },
    injected: saved.injected ?? null,
  };
}

export class Model {
  /** @type {{ tag: string, answer: string }[]} */
  #past = [];
  /** @type {string[]} */
  #future = [];

  /**
   * @param {Content} content
   * @param {Partial<Answer>} saved
   */
  constructor(content, saved) {
    this.content = content;
    this.answer = answerOf(content, saved);
  }

  // --- the way back -----------------------------------------------------------------------------------------------

  /**
   * A change that can be taken back. Changes of one tag in a row are taken back together.
   *
   * @param {string} tag
   * @param {() => void} change
   */
  change(tag, change) {
    const before = JSON.stringify(this.answer);
    change();
    if (JSON.stringify(this.answer) === before) return;
    if (!tag || this.#past.at(-1)?.tag !== tag) this.#past.push({ tag, answer: before });
    this.#future = [];
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  undo() {
    const last = this.#past.pop();
    if (!last) return false;
    this.#future.push(JSON.stringify(this.answer));
    this.answer = JSON.parse(last.answer);
    return true;
  }

  /** Take the last change back if it is one of this tag; whether it was. @param {string} tag */
  undoTagged(tag) {
    return this.#past.at(-1)?.tag === tag && this.undo();
  }

  redo() {
    const next = this.#future.pop();
    if (!next) return false;
    this.#past.push({ tag: "", answer: JSON.stringify(this.answer) });
    this.answer = JSON.parse(next);
    return true;
  }

  /** The next change is not taken back together with the last one. */
  settle() {
    const last = this.#past.at(-1);
    if (last) last.tag = "";
  }

  // --- reading ----------------------------------------------------------------------------------------------------

  /**
   * @param {number} place
   * @param {number} number of the unit, from 1
   */
  unit(place, number) {
    return this.answer.outputs[place].units[number - this.content.numbers[place][0]];
  }

  /** @param {number} place */
  numbers(place) {
    const [first, count] = this.content.numbers[place];
    return Array.from({ length: count }, (_, index) => first + index);
  }

  /**
   * Whether the unit is one of the output, and so must be judged.
   *
   * @param {number} place
   * @param {number} number
   */
  isAsked(place, number) {
    const line = this.content.rows.find((row) => row.number === number);
    return Boolean(line && !line.context && line.outputs[place] !== null);
  }

  /** @param {Ref} ref */
  span({ place, number, index }) {
    return this.unit(place, number).spans[index];
  }

  /**
   * The errors that count: one that takes the whole unit sets the others aside.
   *
   * @param {Unit} unit
   */
  live(unit) {
    const whole = unit.spans.find(({ category }) => this.content.whole_unit.includes(category));
    return whole ? [whole] : unit.spans;
  }

  /** @param {Span} span */
  isSuggested(span) {
    const suggested = span.suggestion === null ? null : this.content.suggested[span.suggestion]?.span;
    return Boolean(
      suggested &&
        JSON.stringify(suggested.parts) === JSON.stringify(span.parts) &&
        suggested.severity === span.severity &&
        suggested.category === span.category,
    );
  }

  /**
   * What an error still lacks: the next thing to ask.
   *
   * @param {Span} span
   * @returns {"severity" | "category" | "note" | "question" | "keep" | ""}
   */
  lacks(span) {
    const { severities, categories, notes, question, confirm } = this.content;
    if (severities.length && !span.severity) return "severity";
    if (categories.length && !span.category) return "category";
    if (notes.includes(span.category) && !span.note.trim()) return "note";
    if (question && span.true === null) return "question";
    if (confirm === "each" && this.isSuggested(span) && !span.kept) return "keep";
    return "";
  }

  /**
   * What keeps a unit from being done, in words; nothing if it is.
   *
   * @param {number} place
   * @param {number} number
   */
  unitLacks(place, number) {
    const unit = this.unit(place, number);
    const lacking = this.live(unit).map((span) => this.lacks(span));
    if (lacking.includes("keep")) return gettext("keep, change or remove what is suggested.");
    if (lacking.some(Boolean)) return gettext("an error is not described yet.");
    if (this.content.score) return unit.score === null ? gettext("give it a score.") : "";
    return unit.spans.length || unit.none || !this.isAsked(place, number)
      ? ""
      : gettext("mark errors or say there are none.");
  }

  /** How many scores are still to be given: of units, and of whole texts where they have one. */
  scoresOpen() {
    const units = this.content.score ? this.asked().map(([place, number]) => this.unit(place, number)) : [];
    const whole = this.content.document_score ? this.answer.outputs : [];
    return [...units, ...whole].filter(({ score }) => score === null).length;
  }

  /** All units that must be judged, in the order of the page. @returns {[place: number, number: number][]} */
  asked() {
    const numbers = [...new Set(this.answer.outputs.flatMap((_, place) => this.numbers(place)))].sort((a, b) => a - b);
    const places = this.answer.outputs.map((_, place) => place);
    /** @type {[number, number][]} */
    const byLine = numbers.flatMap((number) =>
      places.map((place) => /** @type {[number, number]} */ ([place, number])),
    );
    const all = this.content.aligned ? byLine : byLine.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    return all.filter(([place, number]) => this.isAsked(place, number));
  }

  /** Every error in the order of the page. @returns {Ref[]} */
  all() {
    return this.answer.outputs.flatMap((output, place) =>
      output.units.flatMap((unit, at) =>
        unit.spans.map((_, index) => ({ place, number: at + this.content.numbers[place][0], index })),
      ),
    );
  }

  /**
   * The same error of the source in every output that lacks it; of others, itself.
   *
   * @param {Ref} ref
   * @returns {Ref[]}
   */
  group(ref) {
    const span = this.span(ref);
    if (span.side !== "source" || !this.content.names_outputs) return [ref];
    const key = JSON.stringify({ ...span, suggestion: null });
    return this.all().filter(
      (other) => other.number === ref.number && JSON.stringify({ ...this.span(other), suggestion: null }) === key,
    );
  }

  // --- refusing ---------------------------------------------------------------------------------------------------

  /**
   * Why an error cannot be added here; nothing if it can.
   *
   * @param {number} place
   * @param {number} number
   * @param {Span} span
   */
  refusal(place, number, span) {
    const { max_errors: most, overlap } = this.content;
    const live = this.live(this.unit(place, number));
    if (most && live.length >= most) return ngettext("Keep the most severe one.", "Keep the {n} most severe.", most);
    const sameSide = live.filter(({ side, parts }) => side === span.side && parts.length);
    if (!overlap && sameSide.some(({ parts }) => overlaps(parts, span.parts)))
      return gettext("Errors must not overlap here.");
    return "";
  }

  /**
   * Whether the unit has these words as an error of this category already, beside the one at ``index``.
   *
   * @param {number} place
   * @param {number} number
   * @param {Span} span
   * @param {number} [index]
   */
  twin(place, number, span, index = -1) {
    return this.unit(place, number).spans.findIndex(
      (other, at) =>
        at !== index &&
        other.side === span.side &&
        span.side !== "missing" &&
        other.category === span.category &&
        JSON.stringify(other.parts) === JSON.stringify(span.parts),
    );
  }

  // --- changing ---------------------------------------------------------------------------------------------------

  /**
   * @param {number} place
   * @param {number} number
   * @param {Span} span
   * @returns {Ref}
   */
  add(place, number, span) {
    const unit = this.unit(place, number);
    unit.none = false;
    unit.spans.push(span);
    return { place, number, index: unit.spans.length - 1 };
  }

  /** @param {Ref} ref */
  remove(ref) {
    const { suggestion } = this.span(ref);
    this.unit(ref.place, ref.number).spans.splice(ref.index, 1);
    if (suggestion !== null) this.answer.removed = [...this.answer.removed, suggestion].sort((a, b) => a - b);
  }

  /**
   * @param {Ref} ref
   * @param {Part[]} parts
   */
  extend(ref, parts) {
    const span = this.span(ref);
    span.parts = joined([...span.parts, ...parts]);
  }
}

/**
 * The categories that fit what is typed, every word of it in any order; those whose words begin with it come first.
 *
 * @param {string[]} categories
 * @param {string} typed
 */
export function matching(categories, typed) {
  const words = typed
    .toLocaleLowerCase()
    .split(/[\s/]+/u)
    .filter(Boolean);
  const fitting = categories.filter((name) => words.every((word) => name.toLocaleLowerCase().includes(word)));
  const begins = (/** @type {string} */ name) => {
    const parts = name.toLocaleLowerCase().split(/[\s/-]+/u);
    return words.every((word) => parts.some((part) => part.startsWith(word)));
  };
  return [...fitting.filter(begins), ...fitting.filter((name) => !begins(name))];
}
