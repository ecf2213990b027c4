// How each assessor used a scale, one panel per stage: before and after normalisation (Leusch et al. 2005, Figure 1).

import { SIZE, bottomAxis, el, fitted, frame, hint, linear, number, roomFor, rowsOf, text, ticks } from "../svg.js";

const LINE = 24;
const GAP = 28;

export function draw(figure, { width, theme }) {
  const rows = rowsOf(figure);
  const stages = Object.entries(figure.stages).filter(([stage]) => rows.some((row) => row.stage === stage));
  const names = [...new Set(rows.map((row) => row.assessor))];
  const beside = width >= 640;
  const panel = beside ? (width - GAP * (stages.length - 1)) / stages.length : width;
  const height = 24 + names.length * LINE + 34;
  const svg = frame(width, beside ? height : height * stages.length, theme, figure.title);
  stages.forEach(([stage, label], index) => {
    const place = beside ? `translate(${Math.round(index * (panel + GAP))} 0)` : `translate(0 ${index * height})`;
    const own = rows.filter((row) => row.stage === stage && row.minimum !== null);
    svg.append(el("g", { transform: place }, ...drawPanel(own, names, label, panel, theme)));
  });
  return svg;
}

function drawPanel(rows, names, label, width, theme) {
  const left = roomFor(names, width);
  const right = width - 12;
  const top = 24;
  const bottom = top + names.length * LINE;
  const parts = [text(0, 12, label, { "font-weight": 600 })];
  if (!rows.length) return [...parts, text(left, top + 16, "undefined: nobody’s scores vary", { fill: theme.muted })];
  const ends = rows.flatMap((row) => [row.minimum, row.maximum]);
  const values = ticks(Math.min(...ends), Math.max(...ends), width < 420 ? 4 : 6);
  const x = linear(values[0], values.at(-1), left, right);
  parts.push(bottomAxis(x, values, { top, bottom, theme, left, right }));
  const of = new Map(rows.map((row) => [row.assessor, row]));
  names.forEach((name, index) => {
    const y = top + (index + 0.5) * LINE;
    parts.push(text(left - 10, y + SIZE / 3, fitted(name, left - 10), { "text-anchor": "end" }));
    const row = of.get(name);
    if (row) parts.push(box(row, x, y, theme));
  });
  return parts;
}

function box(row, x, y, theme) {
  const said =
    `${row.assessor}: lowest ${number(row.minimum, 2)}, middle half ${number(row.lower, 2)} to ${number(row.upper, 2)}, ` +
    `median ${number(row.median, 2)}, highest ${number(row.maximum, 2)}, mean ${number(row.mean, 2)}, n = ${row.n}`;
  const line = (a, b, size) =>
    el("line", { x1: x(a), x2: x(b), y1: y - size, y2: y + size, stroke: theme.muted, "stroke-width": 1.5 });
  return el(
    "g",
    {},
    hint(said),
    line(row.minimum, row.maximum, 0),
    line(row.minimum, row.minimum, 3),
    line(row.maximum, row.maximum, 3),
    el("rect", {
      x: x(row.lower),
      y: y - 7,
      width: Math.max(x(row.upper) - x(row.lower), 1),
      height: 14,
      rx: 2,
      fill: theme.ramp[1],
      stroke: theme.accent,
    }),
    el("line", { x1: x(row.median), x2: x(row.median), y1: y - 7, y2: y + 7, stroke: theme.accent, "stroke-width": 2.5 }),
    el("circle", { cx: x(row.mean), cy: y, r: 3.5, fill: theme.series[1], stroke: theme.paper }),
  );
}
