import { expect, test } from "vitest";
import { letter } from "../../../static/assess/letters.js";

test.each([
  [0, "a"],
  [25, "z"],
  [26, "aa"],
  [51, "az"],
  [52, "ba"],
  [701, "zz"],
  [702, "aaa"],
])("unit %i is called %s, as on a spreadsheet's columns", (index, name) => {
  expect(letter(index)).toBe(name);
});
