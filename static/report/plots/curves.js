// Recall and precision of significant differences, one curve per metric and one point per level (Lin & Hovy 2003, Figure 3).

import { bottomAxis, el, frame, leftAxis, legend, linear, mark, number, rowsOf, short, text } from "../svg.js";

const DASHES = [null, "6 3", "2 3", "8 3 2 3", "10 4", "4 2 1 2"];
const LEVELS = [0, 0.2, 0.4, 0.6, 0.8, 1];

export function draw(figure, { width, theme, saved }) {
  const rows = rowsOf(figure);
  const whole = Math.min(width, 620);
  const left = 34;
  const right = whole - 16;
  const top = 30;
  const bottom = top + Math.round((right - left) * 0.72);
  const key = legend(figure.series.map((name, index) => ({ name, mark: mark(index, 6, 6, theme) })), whole, theme);
  const svg = frame(whole, bottom + 52 + key.height, theme, figure.title, "group");
  const x = linear(0, 1, left, right);
  const y = linear(0, 1, bottom, top);
  svg.append(leftAxis(y, LEVELS, { left, right, theme, label: figure.y, top }));
  svg.append(bottomAxis(x, LEVELS, { top, bottom, theme, label: figure.x, left, right }));
  figure.series.forEach((name, index) => {
    const own = rows.filter((row) => row.metric === name && row.recall !== null && row.precision !== null);
    svg.append(...curve(own, index, x, y, theme, saved));
  });
  if (!rows.some((row) => row.recall !== null && row.precision !== null)) {
    svg.append(text(left + 8, top + 20, "No pair of systems differs significantly.", { fill: theme.muted }));
  }
  key.group.setAttribute("transform", `translate(${left} ${bottom + 46})`);
  svg.append(key.group);
  return svg;
}

function curve(rows, index, x, y, theme, saved) {
  const colour = theme.series[index % theme.series.length];
  const points = rows.map((row) => `${x(row.recall).toFixed(1)},${y(row.precision).toFixed(1)}`).join(" ");
  const line = el("polyline", { points, fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": DASHES[index % DASHES.length] });
  const marks = rows.map((row) => {
    const said =
      `${row.metric}, α = ${short(row.alpha)}: recall ${number(row.recall, 2)} (${row.hits} of ${row.human}), ` +
      `precision ${number(row.precision, 2)} (${row.hits} of ${row.automatic})`;
    const shape = mark(index, x(row.recall), y(row.precision), theme);
    return el("g", { class: "point", tabindex: saved ? null : 0, role: "img", "aria-label": said }, el("title", {}, said), shape);
  });
  return [line, ...marks];
}
