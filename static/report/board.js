// A matrix that can be read cell by cell: with the pointer, and with the arrow keys.

import { el } from "./svg.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const ENDS = { Home: 0, End: 1 }; // of the row

/** Put the reading line under the plot and follow pointer and keys; `read(i, j)` gives the words. */
export function boardMount(svg, canvas, size, read) {
  const { left, top, cell } = JSON.parse(svg.dataset.board);
  const said = document.createElement("p");
  said.className = "reading-line muted small";
  said.setAttribute("aria-live", "polite");
  said.textContent = "Point at a cell, or use the arrow keys, to read it.";
  const cursor = el("rect", { width: Math.max(cell, 3), height: Math.max(cell, 3), class: "cursor", visibility: "hidden" });
  svg.append(cursor);
  canvas.append(said);
  svg.setAttribute("tabindex", "0");
  let place = [0, Math.min(1, size - 1)];

  function show() {
    cursor.setAttribute("x", left + place[1] * cell);
    cursor.setAttribute("y", top + place[0] * cell);
    cursor.setAttribute("visibility", "visible");
    said.textContent = read(...place);
  }

  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const column = Math.floor(((event.clientX - box.left) * scale - left) / cell);
    const row = Math.floor(((event.clientY - box.top) * scale - top) / cell);
    if (row < 0 || column < 0 || row >= size || column >= size) return;
    place = [row, column];
    show();
  });
  svg.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step) place = place.map((value, index) => Math.min(size - 1, Math.max(0, value + step[index])));
    else if (event.key in ENDS) place = [place[0], ENDS[event.key] * (size - 1)];
    else return;
    event.preventDefault();
    show();
  });
}
