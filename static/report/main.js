// Draws every plot of the page, once; again only when its width has changed or htmx has brought a new one.

import { boardMount } from "./board.js";
import * as boxes from "./plots/boxes.js";
import * as curves from "./plots/curves.js";
import * as grid from "./plots/grid.js";
import * as intervals from "./plots/intervals.js";
import * as pvalues from "./plots/pvalues.js";
import * as scatter from "./plots/scatter.js";
import * as shares from "./plots/shares.js";
import * as times from "./plots/times.js";
import { saveMount } from "./save.js";
import { PAGE } from "./svg.js";

const PLOTS = { boxes, curves, grid, intervals, pvalues, scatter, shares, times };
const WORTH_DRAWING = 12; // pixels by which a width must change

const drawn = new WeakMap(); // canvas → { figure, plot, width }

function paint(canvas) {
  const known = drawn.get(canvas);
  const width = Math.floor(canvas.clientWidth);
  if (width < 50 || Math.abs(width - known.width) < WORTH_DRAWING) return;
  known.width = width;
  const svg = known.plot.draw(known.figure, { width, theme: PAGE, saved: false });
  canvas.replaceChildren(svg);
  if (svg.dataset.board) {
    const { figure, plot } = known;
    boardMount(svg, canvas, figure.names.length, (i, j) => plot.reading(figure, i, j));
  }
  canvas.dataset.drawings = Number(canvas.dataset.drawings ?? 0) + 1;
}

const watcher = new ResizeObserver((entries) => {
  for (const { target } of entries) paint(target);
});

function mount(holder) {
  const canvas = holder.querySelector(".canvas");
  if (drawn.has(canvas)) return;
  const figure = JSON.parse(document.getElementById(holder.dataset.plot).textContent);
  const plot = PLOTS[figure.kind];
  drawn.set(canvas, { figure, plot, width: 0 });
  paint(canvas);
  saveMount(holder, figure, plot);
  watcher.observe(canvas);
}

function mountAll() {
  for (const holder of document.querySelectorAll("[data-plot]")) mount(holder);
}

mountAll();
document.addEventListener("htmx:afterSettle", mountAll);
