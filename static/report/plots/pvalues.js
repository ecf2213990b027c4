// Who is significantly better than whom: row against column, darker is surer (Graham 2015, Figure 3).
//
// Two hundred metrics give forty thousand cells. Cells of one shade that lie side by side are drawn as one piece, and
// all pieces of a shade as one path, so that the drawing has three paths however many cells there are.

import { SIZE, el, fitted, frame, legend, number, pvalue, roomFor, short, text } from "../svg.js";

const MOST_NAMES = 40;

export function draw(figure, { width, theme, saved }) {
  const { names } = figure;
  const named = names.length <= MOST_NAMES;
  const left = named ? roomFor(names, width, 0.3) : 8;
  const cell = Math.min(32, (width - left - 4) / names.length);
  const side = cell * names.length;
  const head = named && cell >= 13 ? roomFor(names, width, 0.22) : 8;
  const key = legend(
    [...levels(figure)].reverse().map(({ limit, shade }) => ({
      name: `p < ${short(limit)}`,
      mark: el("rect", { width: 12, height: 12, fill: theme.ramp[shade] }),
    })),
    width - left,
    theme,
  );
  const svg = frame(width, head + side + 14 + key.height, theme, `${figure.title}: ${summary(figure)}`);
  svg.append(el("rect", { x: left, y: head, width: side, height: side, fill: theme.band }));
  for (const { shade, path } of shaded(figure, left, head, cell)) {
    svg.append(el("path", { d: path, fill: theme.ramp[shade], "shape-rendering": "crispEdges" }));
  }
  svg.append(el("line", { x1: left, y1: head, x2: left + side, y2: head + side, stroke: theme.line }));
  if (named) {
    names.forEach((name, index) => {
      const middle = (index + 0.5) * cell;
      const size = Math.min(SIZE, cell);
      svg.append(text(left - 8, head + middle + size / 3, fitted(name, left - 8), { "text-anchor": "end", "font-size": size }));
      if (head > 8) {
        const place = `translate(${(left + middle + size / 3).toFixed(1)} ${head - 6}) rotate(-90)`;
        svg.append(el("text", { transform: place, "font-size": size }, fitted(name, head - 6)));
      }
    });
  }
  key.group.setAttribute("transform", `translate(${left} ${(head + side + 12).toFixed(1)})`);
  svg.append(key.group);
  if (!saved) svg.dataset.board = JSON.stringify({ left, top: head, cell });
  return svg;
}

/** The limits that are told apart: for α = .05 these are .05, .01 and .001. */
function levels(figure) {
  return [
    { limit: figure.alpha, shade: 2 },
    { limit: figure.alpha / 5, shade: 4 },
    { limit: figure.alpha / 50, shade: 6 },
  ];
}

/** The p-value that row i is better than column j; null on the diagonal and where nothing is claimed. */
export function value(figure, i, j) {
  if (i === j) return null;
  if (i < j) return figure.pvalue[i][j - i - 1];
  if (figure.two_sided) return null; // the better one is always first
  const opposite = figure.pvalue[j][i - j - 1];
  if (opposite === null || opposite === 1) return opposite; // 1 both ways: the two are the same metric
  return 1 - opposite;
}

function shadeOf(figure, i, j) {
  const found = value(figure, i, j);
  if (found === null) return null;
  return levels(figure).findLast(({ limit }) => found < limit)?.shade ?? null;
}

function shaded(figure, left, top, cell) {
  const size = figure.names.length;
  const paths = new Map();
  for (let i = 0; i < size; i += 1) {
    for (let j = 0; j < size; ) {
      const shade = shadeOf(figure, i, j);
      let end = j + 1;
      while (end < size && shadeOf(figure, i, end) === shade) end += 1;
      if (shade !== null) {
        const piece = `M${(left + j * cell).toFixed(2)} ${(top + i * cell).toFixed(2)}h${((end - j) * cell).toFixed(2)}v${cell.toFixed(2)}h${(-(end - j) * cell).toFixed(2)}z`;
        paths.set(shade, (paths.get(shade) ?? "") + piece);
      }
      j = end;
    }
  }
  return [...paths].map(([shade, path]) => ({ shade, path }));
}

function summary(figure) {
  let count = 0;
  figure.pvalue.forEach((row) => row.forEach((each) => (count += each !== null && each < figure.alpha ? 1 : 0)));
  return `${count} of ${(figure.names.length * (figure.names.length - 1)) / 2} pairs differ significantly`;
}

/** What is said of the cell under the pointer, or of the one the arrow keys have reached. */
export function reading(figure, i, j) {
  const found = value(figure, i, j);
  if (i === j) return figure.names[i] + ownWords(figure, i);
  const opposite = figure.two_sided && i > j ? value(figure, j, i) : found;
  const [better, worse] = figure.two_sided && i > j ? [j, i] : [i, j];
  return `${figure.names[better]}${ownWords(figure, better)} ${figure.row} ${figure.names[worse]}${ownWords(figure, worse)}: ${figure.what} ${pvalue(opposite)}`;
}

function ownWords(figure, index) {
  return figure.columns[1] === "pearson" ? ` (r = ${number(figure.rows[index][1], 2)})` : "";
}

/** The whole matrix, for the file. */
export function table(figure) {
  const rows = figure.names.map((name, i) => {
    const cells = figure.names.map((other, j) => [other, value(figure, i, j)]);
    return Object.fromEntries([["", name], ...cells]);
  });
  return { columns: ["", ...figure.names], rows };
}
