import { beforeEach, expect, test } from "vitest";
import { element } from "../../../static/assess/dom.js";
import { boardMount } from "../../../static/report/board.js";

const board = {
  own: ["A", "B", "C"],
  cells: [["p = .01", "p = .02"], ["p = .03"]],
  verb: "against",
  what: "Williams",
  places: { wide: { left: 100, top: 50, cell: 20 } },
};

/** @type {SVGSVGElement} */
let svg;

/** @param {string} key */
function press(key) {
  const event = new KeyboardEvent("keydown", { key, cancelable: true });
  svg.dispatchEvent(event);
  return event.defaultPrevented;
}

const said = () => element(document, "p").textContent;
const cursor = () => element(svg, ".cursor", SVGElement);

beforeEach(() => {
  document.body.innerHTML = "<svg class='wide'></svg><p>Point at a cell.</p>";
  svg = element(document, "svg", SVGSVGElement);
  boardMount(svg, element(document, "p"), board, board.places.wide);
});

test("nothing is said, and no cell is marked, before somebody asks", () => {
  expect(said()).toBe("Point at a cell.");
  expect(cursor().getAttribute("visibility")).toBe("hidden");
  expect(press("a")).toBe(false);
  expect(said()).toBe("Point at a cell.");
});

test("arrows go from cell to cell and stop at the edges", () => {
  const heard = ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "ArrowUp", "ArrowLeft"].map((key) => {
    expect(press(key)).toBe(true);
    return said();
  });
  expect(heard).toEqual([
    "A against C: Williams p = .02",
    "A against C: Williams p = .02",
    "B against C: Williams p = .03",
    "A against C: Williams p = .02",
    "A against C: Williams p = .02",
    "A against B: Williams p = .01",
  ]);
});

test("the better one comes first on both sides of the diagonal, on which each stands by itself", () => {
  press("Home");
  expect(said()).toBe("A");
  press("ArrowDown");
  expect(said()).toBe("A against B: Williams p = .01");
  press("End");
  expect(said()).toBe("B against C: Williams p = .03");
});

test("the cell that is read is marked where the drawing has it", () => {
  press("ArrowDown");
  expect(["x", "y", "width", "visibility"].map((name) => cursor().getAttribute(name))).toEqual([
    "120",
    "70",
    "20",
    "visible",
  ]);
});
