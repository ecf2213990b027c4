// How often each assessor gave each value of a short scale: one bar per assessor, from the lowest value to the highest.

import { SIZE, bottomAxis, el, fitted, frame, hint, legend, linear, roomFor, rowsOf, short, text } from "../svg.js";

const LINE = 24;

export function draw(figure, { width, theme }) {
  const rows = rowsOf(figure);
  const names = [...new Set(rows.map((row) => row.assessor))];
  const values = [...new Set(rows.map((row) => row.value))].sort((a, b) => a - b);
  const colour = new Map(values.map((value, index) => [value, shade(index, values.length, theme)]));
  const left = roomFor(names, width);
  const right = width - 16;
  const key = legend(
    values.map((value) => ({ name: short(value), mark: el("rect", { width: 12, height: 12, fill: colour.get(value), stroke: theme.muted }) })),
    width,
    theme,
  );
  const top = key.height + 8;
  const bottom = top + names.length * LINE;
  const svg = frame(width, bottom + 24, theme, figure.title);
  const x = linear(0, 1, left, right);
  svg.append(key.group);
  svg.append(
    bottomAxis(x, [0, 0.25, 0.5, 0.75, 1], { top, bottom, theme, left, right, format: (value) => `${100 * value} %` }),
  );
  names.forEach((name, index) => {
    const y = top + (index + 0.5) * LINE;
    svg.append(text(left - 10, y + SIZE / 3, fitted(name, left - 10), { "text-anchor": "end" }));
    let from = 0;
    for (const value of values) {
      const row = rows.find((each) => each.assessor === name && each.value === value);
      if (!row || !row.share) continue;
      const said = `${name}: ${short(value)} in ${row.count} of ${Math.round(row.count / row.share)} (${Math.round(100 * row.share)} %)`;
      const bar = { x: x(from), y: y - 8, width: x(from + row.share) - x(from), height: 16 };
      svg.append(el("rect", { ...bar, fill: colour.get(value), stroke: theme.paper }, hint(said)));
      from += row.share;
    }
  });
  return svg;
}

function shade(index, count, theme) {
  const last = theme.ramp.length - 1;
  return theme.ramp[count < 2 ? last : Math.round((index / (count - 1)) * last)];
}
