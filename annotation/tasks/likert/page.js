// Questionnaires in stages. The server decides what each stage shows; here are the clock, the keys and the answers.

import { element, elements } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";

/** @import { Missing, Mount, Page, Task } from "../page" */

/**
 * @typedef {object} Content as the stage has it
 * @property {"ready" | "familiarise" | "reading" | "statements"} stage
 * @property {number} left seconds to get to know the document
 * @property {{ name: string }[]} statements
 * @property {{ value: number }[]} points
 */

/** @typedef {Record<string, number | null>} Values */
/** @typedef {{ stage?: string, values?: Values }} Answer */
/** @typedef {{ name: string, row: HTMLElement, inputs: HTMLInputElement[] }} Row a statement */

const SETTLE = 400; // milliseconds in which the second half of a double Enter must not skip a text

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  if (content.stage === "ready") return ready(root, page);
  if (content.stage === "familiarise") return familiarise(root, content, page);
  if (content.stage === "reading") return reading(root, page);
  return statements(root, content, answer, page);
}

/**
 * A stage with nothing to answer: one button, and Enter for it.
 *
 * @param {HTMLElement} root
 * @param {() => void} act
 * @returns {Task<Answer>}
 */
function oneButton(root, act) {
  const since = performance.now();
  element(root, "[data-primary]").addEventListener("click", act);
  return {
    key(name) {
      if (name !== "Enter") return false;
      if (performance.now() - since > SETTLE) act();
      return true;
    },
    keys: [],
    answer: () => ({}),
    // Nothing is missing here: another device has gone on, and this one follows.
    show: () => window.location.reload(),
    closes: true,
  };
}

/**
 * @param {HTMLElement} root
 * @param {Page} page
 */
function ready(root, page) {
  return oneButton(root, () => page.confirm());
}

/**
 * @param {HTMLElement} root
 * @param {Page} page
 */
function reading(root, page) {
  const hint = element(root, ".moves .hint");
  const warning = gettext("You cannot see the summary again. Once more to begin the statements.");
  return oneButton(
    root,
    askedTwice(hint, warning, page, () => page.confirm()),
  );
}

/**
 * What cannot be undone is asked for twice: the first time warns.
 *
 * @param {HTMLElement} hint
 * @param {string} warning
 * @param {Page} page
 * @param {() => void} act
 */
function askedTwice(hint, warning, page, act) {
  let asked = false;
  return () => {
    if (asked) return act();
    asked = true;
    hint.classList.add("problem");
    hint.textContent = warning;
    return page.announce(warning);
  };
}

/**
 * The clock is the server's: it says how much time is left when the page opens, and the page counts down.
 *
 * @param {HTMLElement} root
 * @param {Content} content
 * @param {Page} page
 * @returns {Task<Answer>}
 */
function familiarise(root, content, page) {
  const clock = element(root, "[data-clock]");
  const hint = element(root, ".moves .hint");
  const start = { active: performance.now(), wall: Date.now() };
  const timer = setInterval(tick, 250);
  let spoken = Math.ceil(content.left);
  let isOver = false;

  /** Some computers stop the one clock while they sleep, and people set the other; the server's runs on. */
  function left() {
    const passed = Math.max(performance.now() - start.active, Date.now() - start.wall) / 1000;
    return Math.max(0, Math.ceil(content.left - passed));
  }

  function tick() {
    if (!root.isConnected) return clearInterval(timer);
    const seconds = left();
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    clock.textContent = gettext("{time} left", { time });
    clock.classList.toggle("short", seconds <= 60);
    const mark = [300, 60].find((one) => seconds <= one && spoken > one);
    if (mark && seconds > 0) page.announce(ngettext("{n} minute left.", "{n} minutes left.", mark / 60));
    spoken = seconds;
    if (seconds === 0) close();
  }

  /** The texts go, and a page says so; what comes next waits until the assessor is there for it. */
  function close() {
    clearInterval(timer);
    isOver = true;
    const closing = element(root, "[data-closing]");
    for (const pane of elements(closing, ".pane:not([data-over])")) pane.remove();
    closing.classList.add("single");
    element(root, "[data-over]").hidden = false;
    clock.hidden = true;
    hint.textContent = "";
    element(root, "[data-label]").textContent = gettext("Go on");
    page.announce(gettext("The time is over. The texts are closed."));
  }

  const leave = askedTwice(hint, gettext("You cannot come back to these texts. Once more to go on."), page, () => {
    clearInterval(timer);
    page.submit();
  });

  function go() {
    if (isOver) page.submit();
    else leave();
  }

  tick();
  return {
    ...oneButton(root, go),
    onBreak: gettext("The texts are covered. The time for them goes on."),
    confirmed() {
      window.scrollTo(0, 0);
      element(root, ".pane:not([hidden])").focus({ preventScroll: true });
      if (!isOver) page.announce(gettext("The clock is running."));
    },
  };
}

/**
 * @param {HTMLElement} root
 * @param {Content} content
 * @param {Answer} answer
 * @param {Page} page
 * @returns {Task<Answer>}
 */
function statements(root, content, answer, page) {
  /** @type {Values} */
  const values = Object.fromEntries(content.statements.map(({ name }) => [name, answer.values?.[name] ?? null]));
  const rows = content.statements.map(({ name }) => {
    const row = element(root, `[data-statement="${name}"]`);
    return { name, row, inputs: elements(row, "input", HTMLInputElement) };
  });
  let current = rows.find(({ name }) => values[name] === null) ?? rows[rows.length - 1];
  /** @type {Missing | null} */
  let said = null;

  for (const one of rows) {
    for (const [index, input] of one.inputs.entries()) {
      input.addEventListener("change", () => choose(one, content.points[index].value));
    }
    one.row.addEventListener("focusin", () => goTo(one));
    one.row.addEventListener("pointerdown", () => goTo(one));
  }
  element(root, "[data-primary]").addEventListener("click", next);

  /** @param {Row} one */
  function goTo(one) {
    current = one;
    render();
  }

  /**
   * @param {Row} one
   * @param {number} value
   */
  function choose(one, value) {
    values[one.name] = value;
    said = null;
    render();
    page.changed();
  }

  /** @param {Row} one */
  function focus(one) {
    current = one;
    render();
    (one.inputs.find((input) => input.checked) ?? one.inputs[0]).focus({ preventScroll: true });
    one.row.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} number */
  function digit(number) {
    if (!content.points.some(({ value }) => value === number)) return;
    choose(current, number);
    focus(rows.find(({ name }) => values[name] === null) ?? current);
  }

  /** @param {number} by */
  function move(by) {
    focus(rows[Math.min(Math.max(rows.indexOf(current) + by, 0), rows.length - 1)]);
  }

  function next() {
    const blank = rows.find(({ name }) => values[name] === null);
    if (!blank) return page.submit();
    const message = gettext("Answer statement {number}.", { number: rows.indexOf(blank) + 1 });
    show([{ field: blank.name, message }]);
    return page.announce(message);
  }

  /** @param {Missing[]} missing */
  function show(missing) {
    const [first] = missing;
    said = first;
    focus(rows.find(({ name }) => name === first.field) ?? current);
  }

  /** @param {string} name */
  function key(name) {
    /** @type {Record<string, number>} */
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
      const hint = element(one.row, ".hint");
      const isSaid = said?.field === one.name;
      hint.classList.toggle("problem", isSaid);
      one.row.setAttribute("aria-invalid", String(isSaid));
      hint.textContent = isSaid ? (said?.message ?? "") : "";
      for (const [index, input] of one.inputs.entries())
        input.checked = content.points[index].value === values[one.name];
    }
    const left = rows.filter(({ name }) => values[name] === null).length;
    element(root, "#hint").textContent = left
      ? gettext("{left} of {total} to answer", { left, total: rows.length })
      : "";
  }

  render();
  return {
    key,
    keys: [
      [`1 … ${content.points.length}`, gettext("answer the current statement")],
      ["↑ ↓", gettext("statement before, statement after (or K and J)")],
    ],
    answer: () => ({ stage: "statements", values: { ...values } }),
    show,
    closes: true,
    confirmed() {
      window.scrollTo(0, 0);
      focus(current);
      page.announce(gettext("The statements begin. The summary is closed."));
    },
  };
}
