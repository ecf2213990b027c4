import { expect, test } from "vitest";
import { placeIn, wordsIn } from "../../../static/assess/reading.js";

/** @param {number} scrollTop */
const pane = (scrollTop) =>
  /** @type {Element} */ (/** @type {unknown} */ ({ scrollTop, scrollHeight: 950, clientHeight: 100 }));

test.each([
  [0, "page 1 of 10"],
  [99, "page 2 of 10"],
  [350, "page 4 of 10"],
  [850, "page 10 of 10"],
])("at %i pixels one is on %s", (top, place) => {
  expect(placeIn(pane(top))).toBe(place);
});

test("words are counted by spaces, and two signs of a script without spaces are one", () => {
  expect(wordsIn(" Two  words\n")).toBe(2);
  expect(wordsIn("")).toBe(0);
  expect(wordsIn("قال أطباء")).toBe(2);
  expect(wordsIn("先週の嵐のあと")).toBe(1 + 4);
});
