import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { codePoints, joined, Offsets, overlaps, segments } from "../../../static/assess/offsets.js";

/** @import { Part } from "../../../static/assess/offsets.js" */

// Own texts, counted by Python and by the rules of other tools; tests/data/README.md.
const { cases } = JSON.parse(readFileSync("tests/data/tasks2/spans/offsets.json", "utf-8"));

/** @param {string} text */
const wordsOf = (text) => {
  const offsets = new Offsets(text);
  return offsets.words().map((part) => offsets.slice(part));
};

describe("places in a text", () => {
  test.each(cases)("of $span are those of the reference file", (/** @type {any[]} */ ...[each]) => {
    const { text, span, code_points_exclusive: part, utf16_exclusive: units } = each;
    const offsets = new Offsets(text);
    expect(offsets.slice(part)).toBe(span);
    expect(part.map((/** @type {number} */ point) => offsets.utf16(point))).toEqual(units);
    expect(units.map((/** @type {number} */ unit) => offsets.point(unit))).toEqual(part);
    expect(offsets.grown(part)).toEqual(part);
  });

  test("within a character are those after it", () => {
    expect(new Offsets("a🚢b").point(2)).toBe(2);
    expect(new Offsets("🚢").point(99)).toBe(1);
    expect(codePoints("e\u0301🚢")).toBe(3);
  });

  test("survive every way there and back, whatever the text", () => {
    const signs = ["a", " ", "e\u0301", "👩‍✈️", "🇩🇪", "\r\n", "ب", "ّ", "港", "क्ष", "\u200d", "."];
    for (let seed = 1; seed < 200; seed += 1) {
      const text = Array.from({ length: seed % 13 }, (_, at) => signs[(seed * 7 + at * at * 3) % signs.length]).join(
        "",
      );
      const offsets = new Offsets(text);
      expect(offsets.length).toBe([...text].length);
      for (let point = 0; point <= offsets.length; point += 1) expect(offsets.point(offsets.utf16(point))).toBe(point);
      const letters = offsets.letters();
      expect(letters.map((part) => offsets.slice(part)).join("")).toBe(text);
      for (let point = 0; point < offsets.length; point += 1) {
        const [start, end] = offsets.grown([point, point + 1]);
        expect(letters.some((letter) => letter[0] === start)).toBe(true);
        expect(letters.some((letter) => letter[1] === end)).toBe(true);
        expect(start <= point && point < end).toBe(true);
      }
    }
  });
});

describe("what a click takes", () => {
  test("is a word, and punctuation is one of its own", () => {
    expect(wordsOf("Don’t stop, 3.5 km!")).toEqual(["Don’t", "stop", ",", "3.5", "km", "!"]);
    expect(wordsOf("the rock-pool 🚢🌊")).toEqual(["the", "rock", "-", "pool", "🚢", "🌊"]);
  });

  test("keeps marks with their letters, in every script", () => {
    expect(wordsOf("العبّارة في الميناء.")).toEqual(["العبّارة", "في", "الميناء", "."]);
    expect(wordsOf("Cafe\u0301 am")).toEqual(["Cafe\u0301", "am"]);
  });

  test("is a letter where there are no spaces", () => {
    expect(wordsOf("港は 3 月")).toEqual(["港", "は", "3", "月"]);
  });

  test("grows to whole words without the white space around them, or to whole characters", () => {
    const offsets = new Offsets("The ferry waits");
    expect(offsets.snapped([5, 11], "word")).toEqual([4, 15]);
    expect(offsets.snapped([3, 10], "word")).toEqual([4, 9]);
    expect(offsets.snapped([3, 4], "word")).toBeNull();
    expect(new Offsets("cafe\u0301s").snapped([4, 5], "letter")).toEqual([3, 5]);
    expect(offsets.snapped([3, 3], "letter")).toBeNull();
  });
});

describe("parts", () => {
  test("that touch or overlap become one", () => {
    expect(
      joined([
        [8, 9],
        [0, 3],
        [3, 5],
      ]),
    ).toEqual([
      [0, 5],
      [8, 9],
    ]);
    expect(overlaps([[0, 3]], [[2, 5]])).toBe(true);
    expect(overlaps([[0, 3]], [[3, 5]])).toBe(false);
  });

  test("cut a text into segments, each with what covers it", () => {
    const first = { parts: /** @type {Part[]} */ ([[0, 4]]) };
    const second = {
      parts: /** @type {Part[]} */ ([
        [2, 6],
        [8, 9],
      ]),
    };
    const found = segments(10, [first, second]).map(({ start, end, marks }) => [start, end, marks.length]);
    expect(found).toEqual([
      [0, 2, 1],
      [2, 4, 2],
      [4, 6, 1],
      [6, 8, 0],
      [8, 9, 1],
      [9, 10, 0],
    ]);
    expect(segments(0, [])).toEqual([]);
  });
});
