// Small tools for plots: elements, scales, ticks, text that fits, and the two themes.
//
// A plot is drawn for the page with the page's own colours, as custom properties, so that the switch between light and
// dark needs no new drawing; and for a file with fixed colours on white, because a file has no page around it.

const NS = "http://www.w3.org/2000/svg";
const measure = document.createElement("canvas").getContext("2d");

export const SIZE = 12; // of text, in pixels

export const PAGE = {
  face: "var(--plain-face)",
  ink: "var(--ink)",
  muted: "var(--muted)",
  line: "var(--hairline)",
  paper: "var(--paper)",
  band: "var(--sunken)",
  accent: "var(--accent)",
  series: [1, 2, 3, 4, 5, 6].map((number) => `var(--plot-${number})`),
  ramp: [0, 1, 2, 3, 4, 5, 6].map((number) => `var(--ramp-${number})`),
  onRamp: [0, 1, 2, 3, 4, 5, 6].map((number) => `var(--on-ramp-${number})`),
};

// Okabe and Ito's colours, which colour-blind readers can tell apart, darkened where white would swallow them; and
// one hue from light to dark.
export const PAPER = {
  face: "Helvetica, Arial, sans-serif",
  ink: "#1d1f23",
  muted: "#5b5f66",
  line: "#dddcd6",
  paper: "#ffffff",
  band: "#f3f3ef",
  accent: "#1f4a8a",
  series: ["#0072b2", "#c04f00", "#007f5f", "#a8487e", "#8a6100", "#2f7fae"],
  ramp: ["#eaf1f8", "#cfdfef", "#a9c6e2", "#7ba6cf", "#4f83b6", "#2c5f97", "#163d6e"],
  onRamp: ["#1d1f23", "#1d1f23", "#1d1f23", "#1d1f23", "#ffffff", "#ffffff", "#ffffff"],
};

/** An SVG element. Attributes that are null or undefined are left out; strings among the children become text. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(key, typeof value === "number" ? round(value) : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const round = (value) => Number(value.toFixed(2));

/** The frame of a plot. */
export function frame(width, height, theme, label, role = "img") {
  return el("svg", {
    xmlns: NS,
    viewBox: `0 0 ${round(width)} ${round(height)}`,
    width,
    height,
    role,
    "aria-label": label,
    "font-family": theme.face,
    "font-size": SIZE,
    fill: theme.ink,
  });
}

export function text(x, y, words, attributes = {}) {
  return el("text", { x, y, ...attributes }, words);
}

export function hint(words) {
  return el("title", {}, words);
}

export function linear(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** Round numbers from below the lowest to above the highest value. */
export function ticks(low, high, wanted = 5) {
  if (!(high > low)) {
    const room = Math.abs(low) * 0.1 || 0.5;
    return ticks(low - room, high + room, wanted);
  }
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Like ticks, but none beyond the ends: for scales that end where they end, as correlations do. */
export function ticksWithin(low, high, wanted = 5) {
  return ticks(low, high, wanted).filter((value) => value >= low - 1e-9 && value <= high + 1e-9);
}

export function number(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  return value.toFixed(digits).replace(/^-(0(\.0+)?)$/, "$1").replace("-", "−");
}

/** As few digits as an axis needs. */
export function short(value) {
  return String(Number(value.toPrecision(6))).replace("-", "−");
}

export function pvalue(value) {
  if (value === null || value === undefined) return "undefined";
  return value < 0.001 ? "< 0.001" : `= ${value.toFixed(3)}`;
}

export function widthOf(words, size = SIZE) {
  measure.font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
  return measure.measureText(words).width;
}

/** The words, cut short with an ellipsis if they are wider than there is room. */
export function fitted(words, room) {
  if (widthOf(words) <= room) return words;
  let end = words.length - 1;
  while (end > 1 && widthOf(`${words.slice(0, end)}…`) > room) end -= 1;
  return `${words.slice(0, end)}…`;
}

/** Room for the longest of these names, but never more than a share of the whole. */
export function roomFor(names, whole, share = 0.38) {
  return Math.ceil(Math.min(Math.max(...names.map((name) => widthOf(name)), 10), whole * share)) + 10;
}

/** A vertical grid with numbers below it, and what they are. */
export function bottomAxis(scale, values, { top, bottom, theme, label, left, right, format = short }) {
  const group = el("g");
  let free = -Infinity;
  for (const value of values) {
    const x = scale(value);
    group.append(el("line", { x1: x, x2: x, y1: top, y2: bottom, stroke: theme.line }));
    const words = format(value);
    const half = widthOf(words) / 2;
    if (x - half < free) continue; // numbers that would run into each other
    free = x + half + 6;
    group.append(text(x, bottom + 16, words, { "text-anchor": "middle", fill: theme.muted }));
  }
  if (label) {
    const words = fitted(label, right - left);
    group.append(text((left + right) / 2, bottom + 34, words, { "text-anchor": "middle", fill: theme.muted }));
  }
  return group;
}

/** A horizontal grid with numbers beside it; what they are stands above it, where it can be read without turning. */
export function leftAxis(scale, values, { left, right, theme, label, top, format = short }) {
  const group = el("g");
  for (const value of values) {
    const y = scale(value);
    group.append(el("line", { x1: left, x2: right, y1: y, y2: y, stroke: theme.line }));
    group.append(text(left - 8, y + 4, format(value), { "text-anchor": "end", fill: theme.muted }));
  }
  if (label) group.append(text(0, top - 12, fitted(label, right), { fill: theme.muted }));
  return group;
}

/** Names with their marks, in as many lines as it takes. Returns the group and its height. */
export function legend(entries, width, theme) {
  const group = el("g");
  let x = 0;
  let y = 0;
  for (const { name, mark } of entries) {
    const words = fitted(name, width - 24);
    const room = 20 + widthOf(words) + 16;
    if (x > 0 && x + room > width) {
      x = 0;
      y += 20;
    }
    group.append(
      el("g", { transform: `translate(${round(x)} ${y})` }, mark, text(20, 10, words, { fill: theme.ink })),
    );
    x += room;
  }
  return { group, height: y + 20 };
}

const SHAPES = [
  (x, y, r) => el("circle", { cx: x, cy: y, r }),
  (x, y, r) => el("path", { d: `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z` }),
  (x, y, r) => el("path", { d: `M${x} ${y - 1.2 * r}L${x + 1.2 * r} ${y + r}L${x - 1.2 * r} ${y + r}z` }),
  (x, y, r) => el("path", { d: `M${x} ${y - 1.3 * r}L${x + 1.3 * r} ${y}L${x} ${y + 1.3 * r}L${x - 1.3 * r} ${y}z` }),
  (x, y, r) => el("path", { d: `M${x} ${y + 1.2 * r}L${x + 1.2 * r} ${y - r}L${x - 1.2 * r} ${y - r}z` }),
  (x, y, r) => el("path", { d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}` }),
];

/** A mark of the n-th series: colours are never the only difference. */
export function mark(series, x, y, theme, radius = 4.5) {
  const index = series % SHAPES.length;
  const made = SHAPES[index](round(x), round(y), radius);
  const colour = theme.series[series % theme.series.length];
  if (index === 5) made.setAttribute("stroke-width", 2.2);
  made.setAttribute("fill", index === 5 ? "none" : colour);
  made.setAttribute("stroke", index === 5 ? colour : theme.paper);
  return made;
}

/** The ramp's step for a value between low and high. */
export function step(value, low, high, steps) {
  if (!(high > low)) return Math.floor(steps / 2);
  return Math.min(steps - 1, Math.max(0, Math.floor(((value - low) / (high - low)) * steps)));
}

/** The rows of a figure as objects. */
export function rowsOf(figure) {
  return figure.rows.map((row) => Object.fromEntries(figure.columns.map((name, index) => [name, row[index]])));
}
