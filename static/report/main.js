// Figures come drawn. What is left to do here: matrices are read cell by cell, also those that htmx brings later.

import { boardMount } from "./board.js";

const mounted = new WeakSet();

function mount(figure) {
  if (mounted.has(figure)) return;
  mounted.add(figure);
  const board = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
  const line = figure.querySelector(".reading-line");
  for (const [layout, place] of Object.entries(board.places)) boardMount(figure.querySelector(`svg.${layout}`), line, board, place);
}

function mountAll() {
  for (const line of document.querySelectorAll(".plot .reading-line")) mount(line.closest(".plot"));
}

mountAll();
document.addEventListener("htmx:afterSettle", mountAll);
