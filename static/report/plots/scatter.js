// Metric × human, one mark per system. Names are written where there is room, and all of them on hover and focus.

import { SIZE, bottomAxis, el, fitted, frame, leftAxis, legend, linear, mark, number, rowsOf, short, text, ticks, widthOf } from "../svg.js";

const TYPES = { system: "system", baseline: "baseline", human: "human author" };

export function draw(figure, { width, theme, saved }) {
  const rows = rowsOf(figure);
  const types = Object.keys(TYPES).filter((type) => rows.some((row) => row.type === type));
  const series = (row) => Math.max(0, Object.keys(TYPES).indexOf(row.type));
  const height = Math.round(Math.min(width * 0.8, 420));
  const key = legend(types.map((type) => ({ name: TYPES[type], mark: mark(series({ type }), 6, 6, theme) })), width, theme);
  const top = 30;
  const bottom = top + height;
  const svg = frame(width, bottom + 48 + (types.length > 1 ? key.height : 0) + 18, theme, figure.title, "group");
  if (!rows.length) {
    svg.append(text(0, top, "No system has both scores.", { fill: theme.muted }));
    return svg;
  }
  const across = ticks(...span(rows.map((row) => row.human)), width < 420 ? 4 : 6);
  const up = ticks(...span(rows.map((row) => row.metric)), 5);
  const left = Math.max(...up.map((value) => widthOf(short(value)))) + 14;
  const right = width - 12;
  const x = linear(across[0], across.at(-1), left, right);
  const y = linear(up[0], up.at(-1), bottom, top);
  svg.append(leftAxis(y, up, { left, right, theme, label: figure.y, top }));
  svg.append(bottomAxis(x, across, { top, bottom, theme, label: figure.x, left, right }));
  const taken = rows.map((row) => ({ x: x(row.human) - 6, y: y(row.metric) - 6, width: 12, height: 12 }));
  for (const row of rows) svg.append(point(row, x(row.human), y(row.metric), series(row), { left, right, theme, taken, saved }));
  const foot = bottom + 52;
  if (types.length > 1) {
    key.group.setAttribute("transform", `translate(${left} ${foot - 4})`);
    svg.append(key.group);
  }
  svg.append(text(left, foot + (types.length > 1 ? key.height : 0) + 8, fitted(figure.note, width - left), { fill: theme.muted }));
  return svg;
}

/** A little room around all values, so that no mark lies on the frame. */
function span(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low) * 0.04;
  return [low - room, high + room];
}

function point(row, x, y, series, { left, right, theme, taken, saved }) {
  const room = widthOf(row.system);
  const places = [
    { x: x + 9, y: y - SIZE / 2 },
    { x: x - 9 - room, y: y - SIZE / 2 },
    { x: x - room / 2, y: y - 10 - SIZE },
    { x: x - room / 2, y: y + 8 },
  ].map((place) => ({ ...place, width: room, height: SIZE }));
  const inside = places.filter((place) => place.x >= left && place.x + room <= right);
  const free = inside.find((place) => !taken.some((other) => other.x !== x - 6 && meet(place, other)));
  if (free) taken.push(free);
  const place = free ?? inside[0] ?? places[0];
  const said = `${row.system}: human ${number(row.human)}, metric ${number(row.metric)}`;
  const label = text(place.x, place.y + SIZE - 2, row.system, { class: free ? "label" : "label covered" });
  const halo = { stroke: theme.paper, "stroke-width": 3, "paint-order": "stroke" };
  for (const [name, value] of Object.entries(halo)) label.setAttribute(name, value);
  if (saved && !free) label.setAttribute("visibility", "hidden");
  const shape = mark(series, x, y, theme, 5);
  return el("g", { class: "point", tabindex: saved ? null : 0, role: "img", "aria-label": said }, el("title", {}, said), shape, label);
}

function meet(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
