import { describe, expect, test } from "vitest";
import { Model, matching, spanOf } from "../../../annotation/tasks/error_spans/model.js";

/** @import { Content } from "../../../annotation/tasks/error_spans/model.js" */

/** @param {Partial<Content>} [given] @returns {Content} */
function content(given = {}) {
  const text = "One two three.";
  return {
    letters: [""],
    aligned: true,
    rows: [1, 2].map((number) => ({ number, context: false, source: text, outputs: [text] })),
    numbers: [[1, 2]],
    severities: [
      { name: "major", weight: 5 },
      { name: "minor", weight: 1 },
    ],
    categories: ["Accuracy/Mistranslation", "Accuracy/Omission", "Other", "Non-translation"],
    notes: ["Other"],
    whole_unit: ["Non-translation"],
    heaviest: "major",
    marks_source: true,
    names_outputs: false,
    omission_category: "",
    missing: true,
    span: "required",
    question: "",
    max_errors: 2,
    overlap: true,
    snap: "word",
    score: null,
    scale: { low: 0, high: 100, labels: {}, warn_below: null },
    document_score: false,
    reveal: "all",
    confirm: "all",
    preference: false,
    suggested: [],
    check: null,
    injected: null,
    ...given,
  };
}

const whole = spanOf({ parts: [[0, 3]], severity: "major", category: "Accuracy/Mistranslation" });

describe("undo and redo", () => {
  test("reach back to the opening of the page, removals included", () => {
    const model = new Model(content(), {});
    model.change("", () => model.add(0, 1, { ...whole }));
    model.change("", () => model.remove({ place: 0, number: 1, index: 0 }));
    expect(model.all()).toEqual([]);
    expect(model.undo()).toBe(true);
    expect(model.span({ place: 0, number: 1, index: 0 })).toEqual(whole);
    expect(model.undo()).toBe(true);
    expect(model.undo()).toBe(false);
    expect(model.redo() && model.redo()).toBe(true);
    expect(model.canRedo).toBe(false);
  });

  test("of one tag leave what was changed after it", () => {
    const model = new Model(content(), {});
    model.change("box", () => model.add(0, 1, { ...whole }));
    model.change("score", () => Object.assign(model.unit(0, 2), { score: 60 }));
    expect(model.undoTagged("box")).toBe(false);
    expect(model.unit(0, 2).score).toBe(60);
    model.undo();
    expect(model.undoTagged("box")).toBe(true);
    expect(model.all()).toEqual([]);
  });

  test("take back together what belongs together, and nothing that changed nothing", () => {
    const model = new Model(content(), {});
    const unit = () => model.unit(0, 1);
    for (const score of [1, 2, 3]) model.change("score", () => Object.assign(unit(), { score }));
    model.change("", () => {});
    model.settle();
    model.change("score", () => Object.assign(unit(), { score: 9 }));
    expect(model.undo() && unit().score).toBe(3);
    expect(model.undo() && unit().score).toBeNull();
    expect(model.canUndo).toBe(false);
  });
});

describe("an answer", () => {
  test("begins with what is suggested, and remembers what was removed", () => {
    const suggested = [{ place: 0, unit: 2, span: { ...whole } }];
    const model = new Model(content({ suggested, confirm: "each" }), {});
    const ref = { place: 0, number: 2, index: 0 };
    expect(model.isSuggested(model.span(ref))).toBe(true);
    expect(model.lacks(model.span(ref))).toBe("keep");
    model.change("", () => model.remove(ref));
    expect(model.answer.removed).toEqual([0]);
    const again = new Model(content({ suggested }), JSON.parse(JSON.stringify(model.answer)));
    expect(again.all()).toEqual([]);
  });

  test("says what an error and a unit lack", () => {
    const model = new Model(content(), {});
    expect(model.unitLacks(0, 1)).toBe("mark errors or say there are none.");
    model.unit(0, 1).none = true;
    expect(model.unitLacks(0, 1)).toBe("");
    const ref = model.add(0, 1, spanOf({ parts: [[0, 3]] }));
    expect(model.unit(0, 1).none).toBe(false);
    expect(model.lacks(model.span(ref))).toBe("severity");
    Object.assign(model.span(ref), { severity: "minor" });
    expect(model.lacks(model.span(ref))).toBe("category");
    Object.assign(model.span(ref), { category: "Other" });
    expect(model.lacks(model.span(ref))).toBe("note");
    expect(model.unitLacks(0, 1)).toBe("an error is not described yet.");
  });

  test("refuses one error too many, but not beside those that are set aside", () => {
    const model = new Model(content(), {});
    model.add(0, 1, { ...whole });
    model.add(0, 1, { ...whole, parts: [[4, 7]] });
    expect(model.refusal(0, 1, whole)).toBe("Keep the 2 most severe.");
    model.add(0, 1, { ...whole, category: "Non-translation" });
    expect(model.live(model.unit(0, 1))).toHaveLength(1);
    expect(model.refusal(0, 1, whole)).toBe("");
    expect(model.twin(0, 1, whole)).toBe(0);
    expect(model.twin(0, 1, whole, 0)).toBe(-1);
  });

  test("joins words that are added to an error", () => {
    const model = new Model(content({ overlap: false }), {});
    const ref = model.add(0, 1, { ...whole, parts: [[0, 3]] });
    model.extend(ref, [[8, 13]]);
    model.extend(ref, [[4, 8]]);
    expect(model.span(ref).parts).toEqual([
      [0, 3],
      [4, 13],
    ]);
    expect(model.refusal(0, 1, spanOf({ parts: [[12, 14]] }))).toBe("Errors must not overlap here.");
  });
});

test("a search takes words in any order, beginnings first", () => {
  const names = ["Accuracy/Omission", "Accuracy/Mistranslation", "Other"];
  expect(matching(names, "mis")).toEqual(["Accuracy/Mistranslation", "Accuracy/Omission"]);
  expect(matching(names, "omis acc")).toEqual(["Accuracy/Omission"]);
  expect(matching(names, "")).toEqual(names);
});
