// A matrix that can be read cell by cell: with the pointer, and with the arrow keys. What a cell says comes with the
// figure; here it is only shown.

/**
 * @typedef {object} Board what the cells of a figure say
 * @property {string[]} own of each row and column by itself
 * @property {string[][]} cells right of the diagonal, row by row
 * @property {string} verb between a better and a worse one
 * @property {string} what the number in a cell is
 * @property {Record<string, Place>} places where the cells are, by the layout of the drawing
 */

/** @typedef {{ left: number, top: number, cell: number }} Place in the drawing's own units */

const NS = "http://www.w3.org/2000/svg";
/** @type {Record<string, [down: number, right: number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
/** @type {Record<string, number>} */
const ENDS = { Home: 0, End: 1 }; // of the row

/**
 * What is said of a cell; the better of the two comes first, whichever side of the diagonal it is on.
 *
 * @param {Board} board
 * @param {number} row
 * @param {number} column
 */
function reading(board, row, column) {
  if (row === column) return board.own[row];
  const [better, worse] = [Math.min(row, column), Math.max(row, column)];
  const cell = board.cells[better][worse - better - 1];
  return `${board.own[better]} ${board.verb} ${board.own[worse]}: ${board.what} ${cell}`;
}

/**
 * Follow pointer and keys over one drawing of the matrix, whose cells begin at `left` and `top`.
 *
 * @param {SVGSVGElement} svg
 * @param {HTMLElement} line where it is said
 * @param {Board} board
 * @param {Place} place
 */
export function boardMount(svg, line, board, { left, top, cell }) {
  const size = board.own.length;
  const cursor = document.createElementNS(NS, "rect");
  const side = String(Math.max(cell, 3));
  for (const [name, value] of Object.entries({ width: side, height: side, class: "cursor", visibility: "hidden" })) {
    cursor.setAttribute(name, value);
  }
  svg.append(cursor);
  svg.setAttribute("tabindex", "0");
  let row = 0;
  let column = Math.min(1, size - 1);

  function show() {
    cursor.setAttribute("x", String(left + column * cell));
    cursor.setAttribute("y", String(top + row * cell));
    cursor.setAttribute("visibility", "visible");
    line.textContent = reading(board, row, column);
  }

  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const right = Math.floor(((event.clientX - box.left) * scale - left) / cell);
    const down = Math.floor(((event.clientY - box.top) * scale - top) / cell);
    if (down < 0 || right < 0 || down >= size || right >= size) return;
    [row, column] = [down, right];
    show();
  });
  svg.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const inside = (/** @type {number} */ wanted) => Math.min(size - 1, Math.max(0, wanted));
    if (step) [row, column] = [inside(row + step[0]), inside(column + step[1])];
    else if (event.key in ENDS) column = ENDS[event.key] * (size - 1);
    else return;
    event.preventDefault();
    show();
  });
}
