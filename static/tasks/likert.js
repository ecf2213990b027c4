// Questionnaires in stages. The server decides what each stage shows; here are the clock, the keys and the answers.

export function mount(root, { content, answer }, page) {
  if (content.stage === "familiarise") return familiarise(root, content, page);
  if (content.stage === "reading") return reading(root, page);
  return statements(root, content, answer, page);
}

function onlyEnter(act) {
  return (name) => {
    if (name !== "Enter") return false;
    act();
    return true;
  };
}

/** The clock is the server's: it says how much time is left when the page opens, and the page counts down. */
function familiarise(root, content, page) {
  const clock = root.querySelector("[data-clock]");
  const ends = performance.now() + content.left * 1000;
  const timer = setInterval(tick, 1000);
  let spoken = Infinity;

  function left() {
    return Math.max(0, Math.ceil((ends - performance.now()) / 1000));
  }

  function tick() {
    const seconds = left();
    clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
    for (const mark of [300, 60]) {
      if (seconds <= mark && spoken > mark && seconds > 0) {
        spoken = mark;
        page.announce(`${mark / 60} ${mark === 60 ? "minute" : "minutes"} left.`);
      }
    }
    if (seconds === 0 || !root.isConnected) clearInterval(timer);
    if (seconds === 0 && root.isConnected) go();
  }

  function go() {
    clearInterval(timer);
    page.submit();
  }

  root.querySelector("[data-primary]").addEventListener("click", go);
  tick();
  return { key: onlyEnter(go), keys: [], answer: () => ({}), show() {} };
}

function reading(root, page) {
  root.querySelector("[data-primary]").addEventListener("click", () => page.confirm());
  return { key: onlyEnter(() => page.confirm()), keys: [], answer: () => ({ stage: "reading" }), show() {}, confirmed() {} };
}

function statements(root, content, answer, page) {
  const values = Object.fromEntries(content.statements.map(({ name }) => [name, answer.values?.[name] ?? null]));
  const rows = content.statements.map(({ name }) => {
    const row = root.querySelector(`[data-statement="${name}"]`);
    return { name, row, inputs: [...row.querySelectorAll("input")] };
  });
  let current = rows.find(({ name }) => values[name] === null) ?? rows.at(-1);
  let said = null;

  for (const one of rows) {
    for (const [index, input] of one.inputs.entries()) {
      input.addEventListener("change", () => choose(one, content.points[index]));
    }
    one.row.addEventListener("focusin", () => goTo(one));
    one.row.addEventListener("pointerdown", () => goTo(one));
  }
  root.querySelector("[data-primary]").addEventListener("click", next);

  function goTo(one) {
    current = one;
    render();
  }

  function choose(one, value) {
    values[one.name] = value;
    said = null;
    render();
    page.changed();
  }

  function focus(one) {
    current = one;
    render();
    (one.inputs.find((input) => input.checked) ?? one.inputs[0]).focus({ preventScroll: true });
    one.row.scrollIntoView({ block: "nearest" });
  }

  function digit(number) {
    if (!content.points.includes(number)) return;
    choose(current, number);
    focus(rows.find(({ name }) => values[name] === null) ?? current);
  }

  function move(by) {
    focus(rows[Math.min(Math.max(rows.indexOf(current) + by, 0), rows.length - 1)]);
  }

  function next() {
    const blank = rows.find(({ name }) => values[name] === null);
    if (!blank) return page.submit();
    const message = `Answer statement ${rows.indexOf(blank) + 1}.`;
    show([{ field: blank.name, message }]);
    return page.announce(message);
  }

  function show(missing) {
    said = missing[0];
    focus(rows.find(({ name }) => name === said.field) ?? current);
  }

  function key(name) {
    const moves = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1 };
    if (name === "Enter") next();
    else if (/^[1-9]$/.test(name)) digit(Number(name));
    else if (name in moves) move(moves[name]);
    else return false;
    return true;
  }

  function render() {
    for (const one of rows) {
      one.row.classList.toggle("current", one === current);
      const hint = one.row.querySelector(".hint");
      const isSaid = said?.field === one.name;
      hint.classList.toggle("problem", isSaid);
      hint.textContent = isSaid ? said.message : "";
      for (const [index, input] of one.inputs.entries()) input.checked = content.points[index] === values[one.name];
    }
    const left = rows.filter(({ name }) => values[name] === null).length;
    root.querySelector("#hint").textContent = left ? `${left} of ${rows.length} to answer` : "";
  }

  render();
  return {
    key,
    keys: [
      [`1 … ${content.points.at(-1)}`, "answer the current statement"],
      ["↑ ↓", "statement before, statement after (or K and J)"],
    ],
    answer: () => ({ stage: "statements", values: { ...values } }),
    show,
    confirmed() {
      focus(current);
      page.announce("The statements begin. The summary is closed.");
    },
  };
}
