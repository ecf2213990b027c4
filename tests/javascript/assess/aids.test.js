import { expect, test } from "vitest";
import { rangeOf, wordPlaces } from "../../../static/assess/aids.js";

test("short words are in every text, and no help", () => {
  expect(wordPlaces("The ferry sank in the Harbour.", "en")).toEqual([
    { word: "ferry", index: 4 },
    { word: "sank", index: 10 },
    { word: "harbour", index: 22 },
  ]);
});

test("words of scripts without spaces are found though they are short", () => {
  expect(wordPlaces("港は閉鎖された。", "ja").map(({ word }) => word)).toContain("閉鎖");
});

test("a stretch of a text goes over the elements in it", () => {
  document.body.innerHTML = "<p>One <mark>fer</mark>ry sank.</p>";
  const text = /** @type {Element} */ (document.querySelector("p"));
  expect(rangeOf(text, 4, 9)?.toString()).toBe("ferry");
  expect(rangeOf(text, 4, 99)).toBeNull();
});
