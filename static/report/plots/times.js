// How long each assessor takes: the mean as a dot, the median as a tick.

import { SIZE, bottomAxis, el, fitted, frame, hint, linear, number, roomFor, rowsOf, text, ticks } from "../svg.js";

const LINE = 24;

export function draw(figure, { width, theme }) {
  const rows = rowsOf(figure);
  const left = roomFor(rows.map((row) => row.assessor), width);
  const right = width - 16;
  const bottom = 4 + rows.length * LINE;
  const svg = frame(width, bottom + 42, theme, figure.title);
  const values = ticks(0, Math.max(...rows.flatMap((row) => [row.seconds, row.median]), 1), width < 500 ? 4 : 7);
  const x = linear(values[0], values.at(-1), left, right);
  svg.append(bottomAxis(x, values, { top: 4, bottom, theme, label: figure.x, left, right }));
  rows.forEach((row, index) => {
    const y = 4 + (index + 0.5) * LINE;
    const said = `${row.assessor}: mean ${number(row.seconds, 1)} s, median ${number(row.median, 1)} s, n = ${row.judgments}`;
    svg.append(
      text(left - 10, y + SIZE / 3, fitted(row.assessor, left - 10), { "text-anchor": "end" }),
      el(
        "g",
        {},
        hint(said),
        el("line", { x1: x(0), x2: x(row.seconds), y1: y, y2: y, stroke: theme.line, "stroke-width": 2 }),
        el("line", { x1: x(row.median), x2: x(row.median), y1: y - 6, y2: y + 6, stroke: theme.ink, "stroke-width": 2 }),
        el("circle", { cx: x(row.seconds), cy: y, r: 4.5, fill: theme.accent, stroke: theme.paper }),
      ),
    );
  });
  return svg;
}
