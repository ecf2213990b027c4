import { describe, expect, it } from "vitest";
import { differences, shared } from "../../../static/assess/differences.js";

/** @param {string[]} texts @param {string} [language] */
const own = (texts, language) =>
  differences(texts, language).map((parts) => parts.filter(({ isOwn }) => isOwn).map(({ text }) => text));

describe("differences", () => {
  it("finds what only one of two texts says", () => {
    expect(own(["The old ferry sank.", "The ferry sank fast."])).toEqual([["old"], ["fast"]]);
  });

  it("leaves every text as it was", () => {
    const texts = ["  A\n\nb  c 👩‍👩‍👧 e\u0301\n", "b c", ""];
    expect(differences(texts).map((parts) => parts.map(({ text }) => text).join(""))).toEqual(texts);
  });

  it("knows order: a word at another place is another word", () => {
    expect(own(["dog bites man", "man bites dog"])).toEqual([["dog bites"], ["bites dog"]]);
  });

  it("marks among several texts only what none of the others says", () => {
    expect(own(["red cat", "red dog", "blue dog"])).toEqual([["cat"], [], ["blue"]]);
  });

  it("cuts Chinese into words", () => {
    expect(
      own(["我喜欢绿茶", "我喜欢红茶"], "zh").every((parts) => parts.length > 0 && !parts.join("").includes("喜欢")),
    ).toBe(true);
  });

  it("marks nothing in texts that are the same", () => {
    expect(own(["One. Two.", "One. Two."])).toEqual([[], []]);
  });

  it("takes texts that are too long for the table by their words", () => {
    const long = Array.from({ length: 5000 }, (_, number) => `w${number}`);
    expect(
      shared(long, [...long].reverse())
        .flat()
        .every(Boolean),
    ).toBe(true);
  });
});
