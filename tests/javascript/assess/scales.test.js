import { expect, test } from "vitest";
import { keyRange, keysOf } from "../../../static/assess/scales.js";

const steps = (/** @type {[string, number][]} */ ...given) => given.map(([label, value]) => ({ label, value }));

test("a higher digit is more, whichever end of the scale is shown first", () => {
  expect(keysOf(steps(["none", 1], ["little", 2], ["all", 3]))).toEqual(["1", "2", "3"]);
  expect(keysOf(steps(["all", 3], ["little", 2], ["none", 1]))).toEqual(["3", "2", "1"]);
});

test("zero is on 0", () => {
  expect(keysOf(steps(["all", 1], ["some", 0.5], ["none", 0]))).toEqual(["2", "1", "0"]);
});

test("a scale from A to E has its letters", () => {
  expect(keysOf(steps(["A", 1], ["B: good", 0.5], ["C", 0]))).toEqual(["a", "b", "c"]);
  expect(keysOf(steps(["all", 1], ["bad", 0]))).toEqual(["1", "0"]);
  expect(keysOf(steps(["A", 1], ["A", 0]))).toEqual(["1", "0"]);
});

test("beyond nine there are no digits left", () => {
  const many = Array.from({ length: 11 }, (_, value) => ({ label: `step ${value}`, value }));
  expect(keysOf(many).slice(-2)).toEqual(["9", ""]);
  expect(keyRange(keysOf(many))).toBe("0 … 9");
});
