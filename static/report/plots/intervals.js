// Values with intervals, one line each: systems with their means, or metrics with their correlations.

import { SIZE, bottomAxis, el, fitted, frame, hint, linear, number, roomFor, text, ticks } from "../svg.js";

const LINE = 24;

export function draw(figure, { width, theme }) {
  const rows = figure.rows.map(([name, value, low, high, group]) => ({ name, value, low, high, group }));
  const names = rows.map((row) => row.name);
  const left = roomFor(names, width);
  const right = width - 16;
  const top = 4;
  const bottom = top + rows.length * LINE;
  const svg = frame(width, bottom + 42, theme, figure.title);
  const known = rows.flatMap((row) => [row.value, row.low, row.high]).filter((value) => value !== null);
  if (!known.length) return svg;
  const values = ticks(Math.min(...known), Math.max(...known), width < 500 ? 4 : 7);
  const x = linear(values[0], values.at(-1), left, right);

  bands(rows).forEach(([from, to], index) => {
    if (figure.columns[4] !== "cluster" || index % 2 === 0) return;
    svg.append(el("rect", { x: 0, y: top + from * LINE, width, height: (to - from) * LINE, fill: theme.band }));
  });
  svg.append(bottomAxis(x, values, { top, bottom, theme, label: figure.x, left, right }));
  rows.forEach((row, index) => {
    const y = top + (index + 0.5) * LINE;
    svg.append(text(left - 10, y + SIZE / 3, fitted(row.name, left - 10), { "text-anchor": "end" }));
    if (row.value === null) return;
    const line = el("g", {}, hint(words(row)));
    if (row.low !== null && row.high !== null) {
      line.append(el("line", { x1: x(row.low), x2: x(row.high), y1: y, y2: y, stroke: theme.accent, "stroke-width": 2 }));
      for (const end of [row.low, row.high]) {
        line.append(el("line", { x1: x(end), x2: x(end), y1: y - 4, y2: y + 4, stroke: theme.accent, "stroke-width": 2 }));
      }
    }
    line.append(el("circle", { cx: x(row.value), cy: y, r: 4.5, fill: theme.accent, stroke: theme.paper }));
    svg.append(line);
  });
  return svg;
}

function words(row) {
  const interval = row.low === null ? "" : ` [${number(row.low)}, ${number(row.high)}]`;
  return `${row.name}: ${number(row.value)}${interval}`;
}

/** From where to where the same group goes. */
function bands(rows) {
  const found = [];
  rows.forEach((row, index) => {
    if (index > 0 && rows[index - 1].group === row.group) found.at(-1)[1] = index + 1;
    else found.push([index, index + 1]);
  });
  return found;
}
