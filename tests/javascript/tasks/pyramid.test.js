import { describe, expect, test } from "vitest";
import {
  freeId,
  inOrder,
  matchPart,
  Refusal,
  unitAdd,
  unitJoin,
  unitPart,
  unitSplit,
} from "../../../annotation/tasks/pyramid/units.js";
import { hitsIn, typed } from "../../../static/assess/workplace.js";

/** @import { Answer } from "../../../annotation/tasks/pyramid/units.js" */

/** @returns {Answer} */
const pyramid = () => ({
  scus: [
    { id: "1", label: "a storm", comment: "", contributors: [{ reference: "a", parts: [[0, 7]] }] },
    {
      id: "4",
      label: "shut",
      comment: "?",
      contributors: [
        { reference: "b", parts: [[3, 9]] },
        { reference: "c", parts: [[0, 4]] },
      ],
    },
  ],
  matches: [],
  outside: [],
});

describe("the units of a pyramid", () => {
  test("stand unfinished ones first, then the heaviest", () => {
    const { scus } = pyramid();
    expect(inOrder(scus).map(({ id }) => id)).toEqual(["4", "1"]);
    expect(inOrder([...scus, { ...scus[0], id: "9", label: " " }]).map(({ id }) => id)).toEqual(["9", "4", "1"]);
    expect(freeId(scus)).toBe("5");
  });

  test("take words of each model once, and further words as parts", () => {
    const answer = pyramid();
    unitAdd(answer, "1", "b", [[3, 9]], "Model 2");
    expect(answer.scus[0].contributors).toHaveLength(2);
    expect(() => unitAdd(answer, "1", "b", [[20, 24]], "Model 2")).toThrow("has words of Model 2 already");
    unitPart(answer, "1", 1, "b", [20, 24]);
    unitPart(answer, "1", 1, "b", [9, 12]);
    expect(answer.scus[0].contributors[1].parts).toEqual([
      [3, 12],
      [20, 24],
    ]);
    expect(() => unitPart(answer, "1", 1, "c", [0, 2])).toThrow(Refusal);
  });

  test("are split and joined, but never with two contributors of one model", () => {
    const answer = pyramid();
    unitSplit(answer, "4", 1, "of its own");
    expect(answer.scus.map(({ id, contributors }) => [id, contributors.length])).toEqual([
      ["1", 1],
      ["4", 1],
      ["5", 1],
    ]);
    unitJoin(answer, "1", "4", {});
    expect(answer.scus.map(({ id, comment }) => [id, comment])).toEqual([
      ["1", "?"],
      ["5", ""],
    ]);
    answer.scus[1].contributors[0].reference = "a";
    expect(() => unitJoin(answer, "1", "5", { a: "Model 1" })).toThrow("Both units have words of Model 1");
  });
});

describe("further words of a match", () => {
  test("join what they touch, as the server wants it, and are taken once", () => {
    const answer = pyramid();
    answer.matches = [
      { scu: "1", parts: [[4, 5]] },
      { scu: "1", parts: [[8, 9]] },
    ];
    answer.outside = [[[20, 24]]];
    matchPart(answer, 0, [5, 7]);
    matchPart(answer, 0, [0, 2]);
    expect(answer.matches[0].parts).toEqual([
      [0, 2],
      [4, 7],
    ]);
    expect(() => matchPart(answer, 0, [6, 9])).toThrow("matched with this unit already");
    expect(() => matchPart(answer, 1, [0, 2])).toThrow("matched with this unit already");
    expect(() => matchPart(answer, 0, [22, 26])).toThrow("set aside");
  });
});

describe("what is typed", () => {
  test("comes as it is typed, but composed letters only when they are whole", () => {
    const input = document.createElement("input");
    /** @type {string[]} */
    const seen = [];
    typed(input, () => seen.push(input.value));
    for (const value of ["d", "de", "deng"]) {
      input.value = value;
      input.dispatchEvent(new InputEvent("input", { isComposing: true }));
    }
    expect(seen).toEqual([]);
    input.value = "灯";
    input.dispatchEvent(new CompositionEvent("compositionend"));
    input.value = "灯!";
    input.dispatchEvent(new InputEvent("input"));
    expect(seen).toEqual(["灯", "灯!"]);
  });
});

describe("finding words in a text", () => {
  test("counts code points, whatever the case", () => {
    expect(hitsIn("🚢 The Ferry, the ferry", "ferry")).toEqual([
      [6, 11],
      [17, 22],
    ]);
    expect(hitsIn("İstanbul and istanbul", "istanbul")).toEqual([[13, 21]]);
    expect(hitsIn("aaa", "aa")).toEqual([[0, 2]]);
  });
});
