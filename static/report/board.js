// A matrix that can be read cell by cell: with the pointer, and with the arrow keys. What a cell says comes with the
// figure; here it is only shown.

const NS = "http://www.w3.org/2000/svg";
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const ENDS = { Home: 0, End: 1 }; // of the row

/** What is said of a cell; the better of the two comes first, whichever side of the diagonal it is on. */
function reading(board, row, column) {
  if (row === column) return board.own[row];
  const [better, worse] = [Math.min(row, column), Math.max(row, column)];
  const cell = board.cells[better][worse - better - 1];
  return `${board.own[better]} ${board.verb} ${board.own[worse]}: ${board.what} ${cell}`;
}

/** Follow pointer and keys over one drawing of the matrix, whose cells begin at `left` and `top`. */
export function boardMount(svg, line, board, { left, top, cell }) {
  const size = board.own.length;
  const cursor = document.createElementNS(NS, "rect");
  for (const [name, value] of Object.entries({ width: Math.max(cell, 3), height: Math.max(cell, 3), class: "cursor", visibility: "hidden" })) {
    cursor.setAttribute(name, value);
  }
  svg.append(cursor);
  svg.setAttribute("tabindex", "0");
  let place = [0, Math.min(1, size - 1)];

  function show() {
    cursor.setAttribute("x", left + place[1] * cell);
    cursor.setAttribute("y", top + place[0] * cell);
    cursor.setAttribute("visibility", "visible");
    line.textContent = reading(board, ...place);
  }

  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const column = Math.floor(((event.clientX - box.left) * scale - left) / cell);
    const row = Math.floor(((event.clientY - box.top) * scale - top) / cell);
    if (row < 0 || column < 0 || row >= size || column >= size) return;
    place = [row, column];
    show();
  });
  svg.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step) place = place.map((value, index) => Math.min(size - 1, Math.max(0, value + step[index])));
    else if (event.key in ENDS) place = [place[0], ENDS[event.key] * (size - 1)];
    else return;
    event.preventDefault();
    show();
  });
}
