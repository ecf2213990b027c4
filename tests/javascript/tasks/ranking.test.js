import { describe, expect, it } from "vitest";
import { orderOf } from "../../../annotation/tasks/ranking/page.js";

describe("the line of a ranking", () => {
  it("has the best first, ties joined, and leaves out who has no rank", () => {
    expect(orderOf([1, 3, 1, 4], ["A", "B", "C", "D"])).toBe("A = C > B > D");
    expect(orderOf([null, 2, null], ["A", "B", "C"])).toBe("B");
    expect(orderOf([null, null], ["A", "B"])).toBe("");
  });
});
