// Places in a text, as kinds that select words need them. At rest everything counts code points of the text as stored, from 0, the
// end exclusive; browsers count UTF-16, which stays at their edge. What a reader sees as one character is never cut.

/** @typedef {[start: number, end: number]} Part in code points */

// Scripts that put no spaces between words: there every letter is a word of its own to select.
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}々〆ー]/u;
const WORD = /^[\p{L}\p{N}\p{M}_]/u;
const SPACE = /^\s+$/u;
const APOSTROPHE = /^['’ʼ]$/u; // within a word: don't
const POINT = /^[.,٫٬]$/u; // within a number: 3.5
const DIGIT = /^\p{N}/u;

const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** @param {string} text */
export function codePoints(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** A text with its places: built once for each. */
export class Offsets {
  /** @type {number[]} where each code point begins in UTF-16, and the end */
  #units = [];
  /** @type {Map<number, number>} */
  #points = new Map();
  /** @type {number[]} edges of clusters, in code points */
  #edges = [0];
  /** @type {string[]} */
  #clusters = [];

  /** @param {string} text */
  constructor(text) {
    this.text = text;
    let unit = 0;
    for (const sign of text) {
      this.#points.set(unit, this.#units.length);
      this.#units.push(unit);
      unit += sign.length;
    }
    this.#points.set(unit, this.#units.length);
    this.#units.push(unit);
    for (const { segment } of clusters.segment(text)) {
      this.#clusters.push(segment);
      this.#edges.push(this.#edges[this.#edges.length - 1] + codePoints(segment));
    }
  }

  /** How many code points the text has. */
  get length() {
    return this.#units.length - 1;
  }

  /** @param {number} point a place in code points, as browsers count it */
  utf16(point) {
    return this.#units[Math.min(Math.max(point, 0), this.length)];
  }

  /** @param {number} unit a place in UTF-16, in code points; one within a character is the place after it */
  point(unit) {
    for (let at = Math.max(unit, 0); ; at += 1) {
      const found = this.#points.get(at);
      if (found !== undefined) return found;
      if (at > this.text.length) return this.length;
    }
  }

  /** @param {Part} part */
  slice([start, end]) {
    return this.text.slice(this.utf16(start), this.utf16(end));
  }

  /**
   * The smallest part of whole characters around this one.
   *
   * @param {Part} part
   * @returns {Part}
   */
  grown([start, end]) {
    const from = this.#edges.findLast((edge) => edge <= start) ?? 0;
    const to = this.#edges.find((edge) => edge >= Math.max(end, from + 1)) ?? this.length;
    return [from, to];
  }

  /** Every character by itself. @returns {Part[]} */
  letters() {
    return this.#clusters.map((_, index) => [this.#edges[index], this.#edges[index + 1]]);
  }

  /**
   * What a click takes: a word, a sign, and in scripts without spaces a letter; never white space.
   *
   * @returns {Part[]}
   */
  words() {
    if (this.#words) return this.#words;
    /** @type {Part[]} */
    const words = [];
    let isOpen = false; // whether the last word goes on
    const parts = this.letters();
    for (const [index, part] of parts.entries()) {
      const [before, sign, after] = [index - 1, index, index + 1].map((at) => this.#clusters[at] ?? "");
      const joins = APOSTROPHE.test(sign)
        ? isWord(before) && isWord(after)
        : POINT.test(sign) && DIGIT.test(before) && DIGIT.test(after);
      if (SPACE.test(sign)) isOpen = false;
      else if (isOpen && (isWord(sign) || joins)) words[words.length - 1][1] = part[1];
      else {
        words.push([...part]);
        isOpen = isWord(sign);
      }
    }
    this.#words = words;
    return words;
  }

  /** @type {Part[] | null} */
  #words = null;

  /**
   * What somebody means who selects this: whole words without the white space around them, or whole characters. Null if there is
   * nothing but white space.
   *
   * @param {Part} part
   * @param {"word" | "letter"} snap
   * @returns {Part | null}
   */
  snapped(part, snap) {
    if (snap === "letter") return part[0] < part[1] ? this.grown(part) : null;
    const met = this.words().filter(([start, end]) => start < part[1] && part[0] < end);
    return met.length ? [met[0][0], met[met.length - 1][1]] : null;
  }
}

/** @param {string} cluster */
function isWord(cluster) {
  return WORD.test(cluster) && !UNSPACED.test(cluster);
}

/**
 * Parts in their order, those that touch or overlap joined.
 *
 * @param {Part[]} parts
 * @returns {Part[]}
 */
export function joined(parts) {
  /** @type {Part[]} */
  const found = [];
  for (const [start, end] of [...parts].sort((a, b) => a[0] - b[0])) {
    const last = found[found.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}

/**
 * @param {Part[]} first
 * @param {Part[]} second
 */
export function overlaps(first, second) {
  return first.some(([start, end]) => second.some(([from, to]) => start < to && from < end));
}

/**
 * @template {{ parts: Part[] }} Mark
 * @typedef {{ start: number, end: number, marks: Mark[] }} Segment
 */

/**
 * The text cut at the ends of all marks: each segment with the marks that cover it.
 *
 * @template {{ parts: Part[] }} Mark
 * @param {number} length
 * @param {Mark[]} marks
 * @returns {Segment<Mark>[]}
 */
export function segments(length, marks) {
  const cuts = new Set([0, length]);
  for (const { parts } of marks) {
    for (const [start, end] of parts) {
      if (start < length) cuts.add(start);
      if (end < length) cuts.add(end);
    }
  }
  const edges = [...cuts].sort((a, b) => a - b);
  return edges.slice(0, -1).map((start, index) => ({
    start,
    end: edges[index + 1],
    marks: marks.filter(({ parts }) => parts.some(([from, to]) => from <= start && edges[index + 1] <= to)),
  }));
}
