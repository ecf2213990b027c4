// Ratings: each criterion a row of labelled steps or a slider, answered in order; digits go to the current one.
//
// Criteria that are judged alone come first and are confirmed, and fixed, before the rest opens (TIDES).

import { sliderMount } from "./slider.js";

export function mount(root, { content, answer }, page) {
  const one = (selector) => root.querySelector(selector);
  const values = Object.fromEntries(content.criteria.map(({ name }) => [name, answer.values?.[name] ?? null]));
  const hasStages = content.alone.length > 0;
  const criteria = content.criteria.map((criterion) => ({
    ...criterion,
    heading: criterion.title || criterion.name,
    row: one(`[data-criterion="${criterion.name}"]`),
    isFixed: hasStages && criterion.alone && content.confirmed,
    isLater: hasStages && !criterion.alone && !content.confirmed,
  }));
  const open = criteria.filter((criterion) => !criterion.isFixed && !criterion.isLater);
  let current = open.find((criterion) => values[criterion.name] === null) ?? open.at(-1);
  let said = null; // {name, message}: what is missing, once the assessor has tried to go on

  for (const criterion of criteria) {
    if (criterion.slider) sliderRow(criterion);
    else stepsRow(criterion);
    criterion.row.addEventListener("focusin", () => goTo(criterion));
    criterion.row.addEventListener("pointerdown", () => goTo(criterion));
  }
  one("[data-primary]").addEventListener("click", next);

  function stepsRow(criterion) {
    criterion.row.classList.toggle("long-words", criterion.steps.some(({ label }) => /\S{12}/.test(label)));
    for (const [index, input] of radios(criterion).entries()) {
      input.disabled = criterion.isFixed || criterion.isLater;
      input.addEventListener("change", () => answerSet(criterion, criterion.steps[index].value));
    }
  }

  function sliderRow(criterion) {
    criterion.control = sliderMount(criterion.row, criterion.slider, {
      value: values[criterion.name],
      disabled: criterion.isFixed || criterion.isLater,
      changed: (value) => answerSet(criterion, value),
    });
  }

  function radios(criterion) {
    return [...criterion.row.querySelectorAll("input")];
  }

  function goTo(criterion) {
    if (!open.includes(criterion) || criterion === current) return;
    current = criterion;
    render();
  }

  function answerSet(criterion, value) {
    values[criterion.name] = value;
    said = null;
    render();
    page.changed();
  }

  /** Digits choose for the current criterion, and the next open question becomes the current one. */
  function digit(name) {
    if (current.slider) {
      focus(current);
      current.control.type(name);
      return;
    }
    const step = current.steps[Number(name) - 1];
    if (!step) return;
    answerSet(current, step.value);
    const following = open.find((criterion) => values[criterion.name] === null);
    focus(following ?? current);
  }

  function move(by) {
    const index = open.indexOf(current) + by;
    focus(open[Math.min(Math.max(index, 0), open.length - 1)]);
  }

  function focus(criterion) {
    current = criterion;
    render();
    const inputs = radios(criterion);
    const target = criterion.slider
      ? criterion.row.querySelector(".slider")
      : inputs.find((input) => input.checked) ?? inputs[0];
    target.focus({ preventScroll: true });
    criterion.row.scrollIntoView({ block: "nearest" });
  }

  function isWaiting() {
    return hasStages && !content.confirmed;
  }

  /** Confirm the first stage, submit, or say what is missing and go there. */
  function next() {
    if (current.slider && current.control.settle()) return page.announce(`${values[current.name]}. Enter again goes on.`);
    const blank = open.find((criterion) => values[criterion.name] === null);
    if (blank) {
      said = { name: blank.name, message: `Rate ${blank.heading.toLowerCase()}.` };
      page.announce(said.message);
      focus(blank);
    } else if (isWaiting()) page.confirm();
    else page.submit();
  }

  function key(name, event) {
    const moves = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1 };
    const isOnSlider = Boolean(event.target.closest(".slider"));
    if (name === "Enter") next();
    else if (/^[0-9]$/.test(name)) digit(name);
    else if (name in moves && !(isOnSlider && name.startsWith("Arrow"))) move(moves[name]);
    else return false;
    return true;
  }

  // --- drawing ---

  function render() {
    for (const criterion of criteria) rowDraw(criterion);
    const label = isWaiting() ? `Confirm ${open.map((c) => c.heading.toLowerCase()).join(" and ")}` : "Submit";
    one("[data-label]").textContent = label;
    const left = open.filter((criterion) => values[criterion.name] === null).length;
    one("#hint").textContent = left && open.length > 1 ? `${left} of ${open.length} to answer` : "";
  }

  function rowDraw(criterion) {
    const { row, name } = criterion;
    row.classList.toggle("current", criterion === current);
    row.classList.toggle("later", criterion.isLater);
    row.classList.toggle("fixed", criterion.isFixed);
    const isMissing = said?.name === name;
    const hint = row.querySelector(".hint");
    hint.classList.toggle("problem", isMissing);
    hint.textContent = isMissing ? said.message : stage(criterion);
    for (const [index, input] of radios(criterion).entries()) {
      input.checked = criterion.steps[index].value === values[name];
    }
  }

  function stage(criterion) {
    if (criterion.isFixed) return "Confirmed, and fixed now";
    return criterion.isLater ? `Comes after ${open.map((c) => c.heading.toLowerCase()).join(" and ")}` : "";
  }

  render();

  const most = Math.max(...criteria.map((criterion) => criterion.steps.length));
  return {
    key,
    keys: [
      ...(most ? [[`1 … ${Math.min(most, 9)}`, "choose for the current question"]] : []),
      ...(criteria.some((criterion) => criterion.slider)
        ? [
            ["0 … 9", "type a value for the slider"],
            ["← →", "slider one less, one more (PageUp, PageDown: ten)"],
          ]
        : []),
      ["↑ ↓", "question before, question after (or K and J)"],
    ],
    answer: () => ({ values: { ...values }, confirmed: hasStages && content.confirmed }),
    show(missing) {
      const found = open.find((criterion) => criterion.name === missing[0].field) ?? current;
      said = { name: found.name, message: missing[0].message };
      focus(found);
    },
    confirmed() {
      focus(current);
      one(".context").scrollIntoView({ block: "nearest" });
      page.announce(`The ${content.beside} is shown now.`);
    },
  };
}
