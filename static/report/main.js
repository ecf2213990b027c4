// Figures come drawn. What is left to do here: matrices are read cell by cell, also those that htmx brings later.

import { element, elements } from "../assess/dom.js";
import { boardMount } from "./board.js";

/** @import { Board } from "./board.js" */

const mounted = new WeakSet();

/** @param {Element} figure */
function mount(figure) {
  if (mounted.has(figure)) return;
  mounted.add(figure);
  /** @type {Board} */
  const board = JSON.parse(element(figure, "script[type='application/json']").textContent ?? "");
  const line = element(figure, ".reading-line");
  for (const [layout, place] of Object.entries(board.places)) {
    boardMount(element(figure, `svg.${layout}`, SVGSVGElement), line, board, place);
  }
}

function mountAll() {
  for (const figure of elements(document, ".plot:has(.reading-line)")) mount(figure);
}

mountAll();
document.addEventListener("htmx:afterSettle", mountAll);
