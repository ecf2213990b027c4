// Content units: those of a reference are written sentence by sentence; of each it is said whether a text has it.

import { element, elements } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";
import { line, typed, Workplace } from "../../assess/workplace.js";

/** @import { Missing, Mount } from "../page" */

/** @typedef {{ id: string, text: string, sentence: number | null }} Written */
/** @typedef {{ phase: "writing", sentences: string[] }} WritingContent */
/** @typedef {{ phase: "judging", units: { id: string, text: string }[] }} JudgingContent */
/** @typedef {{ written: Written[], present: Record<string, 0 | 1> }} Answer */

/** @type {Mount<any, any>} */
export function mount(root, data, page) {
  return data.content.phase === "writing" ? writing(root, data, page) : judging(root, data, page);
}

// --- writing ----------------------------------------------------------------------------------------------------------

/** @type {Mount<WritingContent, Answer>} */
function writing(root, { content, answer }, page) {
  /** @type {Answer} */
  const begun = { written: structuredClone(answer.written ?? []), present: {} };
  const place = new Workplace(root, begun, page, draw);
  const hint = element(root, "#hint");
  for (const box of elements(root, "[data-sentence]")) {
    const sentence = Number(box.dataset.sentence) || null;
    box.querySelector("[data-add]")?.addEventListener("click", () => add(sentence, null));
  }
  place.show();

  function draw() {
    const focused = document.activeElement instanceof HTMLTextAreaElement ? document.activeElement.id : "";
    const at = document.activeElement instanceof HTMLTextAreaElement ? document.activeElement.selectionStart : null;
    for (const box of elements(root, "[data-sentence]")) {
      const sentence = Number(box.dataset.sentence) || null;
      const own = place.answer.written.filter((unit) => unit.sentence === sentence);
      if (sentence === null) box.hidden = !own.length;
      element(box, "[data-written]").replaceChildren(...own.map((unit, index) => rowOf(unit, index, sentence)));
    }
    if (focused) {
      const again = root.querySelector(`#${CSS.escape(focused)}`);
      if (again instanceof HTMLTextAreaElement) {
        again.focus({ preventScroll: true });
        again.setSelectionRange(at, at);
      }
    }
    const count = place.answer.written.length;
    const used = new Set(place.answer.written.map(({ sentence }) => sentence));
    const bare = content.sentences.map((_, index) => index + 1).filter((number) => !used.has(number));
    const units = ngettext("{n} unit", "{n} units", count);
    element(root, "#standing").textContent =
      bare.length && count ? gettext("{units} · none of sentence {bare}", { units, bare: bare.join(", ") }) : units;
  }

  /**
   * @param {Written} unit
   * @param {number} index
   * @param {number | null} sentence
   */
  function rowOf(unit, index, sentence) {
    const row = document.createElement("li");
    const input = line(unit.text, { id: `written-${unit.id}`, maxlength: "2000" });
    const remover = document.createElement("button");
    input.setAttribute(
      "aria-label",
      sentence === null
        ? gettext("Unit {n}", { n: index + 1 })
        : gettext("Sentence {sentence}, unit {n}", { sentence, n: index + 1 }),
    );
    typed(input, () => {
      hintSay("");
      place.change(`text.${unit.id}`, (now) => {
        const own = now.written.find(({ id }) => id === unit.id);
        if (own) own.text = input.value;
      });
    });
    input.addEventListener("keydown", (event) => {
      if (event.isComposing || event.ctrlKey || event.metaKey) return;
      if (event.key === "Enter") add(sentence, unit.id);
      else if (event.key === "Backspace" && !input.value) remove(unit.id);
      else return;
      event.preventDefault();
    });
    remover.type = "button";
    remover.className = "button quiet small";
    remover.textContent = gettext("Remove");
    remover.setAttribute(
      "aria-label",
      sentence === null
        ? gettext("Remove unit {n}", { n: index + 1 })
        : gettext("Remove unit {n} of sentence {sentence}", { sentence, n: index + 1 }),
    );
    remover.addEventListener("click", () => remove(unit.id));
    row.append(input, remover);
    return row;
  }

  /**
   * @param {number | null} sentence
   * @param {string | null} after
   */
  function add(sentence, after) {
    const id = String(Math.max(0, ...place.answer.written.map((unit) => Number(unit.id) || 0)) + 1);
    place.change("", (now) => {
      const before = now.written.findLastIndex((unit) =>
        after === null ? (unit.sentence ?? 0) <= (sentence ?? 0) : unit.id === after,
      );
      now.written.splice(before + 1, 0, { id, text: "", sentence });
    });
    element(root, `#written-${id}`).focus();
  }

  /** @param {string} id */
  function remove(id) {
    const inputs = elements(root, ".written textarea");
    const at = inputs.findIndex((input) => input.id === `written-${id}`);
    const next = inputs[at - 1] ?? inputs[at + 1];
    place.change("", (now) => {
      now.written = now.written.filter((unit) => unit.id !== id);
    });
    if (next) element(root, `#${CSS.escape(next.id)}`).focus();
    page.announce(gettext("Unit removed."));
  }

  /** @param {string} message */
  function hintSay(message) {
    hint.textContent = message;
    hint.classList.toggle("problem", Boolean(message));
  }

  return {
    key(name) {
      if (name === "Enter" && document.activeElement?.matches("[data-primary]")) page.submit();
      else return false;
      return true;
    },
    keys: [
      ["⏎", gettext("in a unit: another one after it")],
      ["⌫", gettext("in an empty unit: remove it")],
      ["Ctrl+Z Ctrl+Y", gettext("undo, redo")],
      ["Ctrl ⏎", gettext("submit")],
    ],
    answer: () => place.answer,
    show([{ field, message }]) {
      hintSay(message);
      const input = field ? root.querySelector(`#${CSS.escape(`written-${field}`)}`) : null;
      const first = input ?? root.querySelector("[data-add]");
      if (first instanceof HTMLElement) first.focus();
    },
  };
}

// --- judging ----------------------------------------------------------------------------------------------------------

/** @type {Mount<JudgingContent, Answer>} */
function judging(root, { content, answer }, page) {
  const rows = elements(root, ".asked-unit");
  const hint = element(root, "#hint");
  /** @type {Record<string, 0 | 1>} */
  const present = { ...answer.present };
  let current = Math.max(
    0,
    content.units.findIndex(({ id }) => !(id in present)),
  );
  for (const [index, row] of rows.entries()) {
    for (const input of elements(row, "input", HTMLInputElement)) {
      input.addEventListener("change", () => choose(index, input.value === "1" ? 1 : 0));
    }
    row.addEventListener("pointerdown", () => go(index, false));
    row.addEventListener("focusin", () => go(index, false));
  }
  element(root, "[data-primary]").addEventListener("click", next);
  draw();

  function draw() {
    for (const [index, row] of rows.entries()) {
      const value = present[content.units[index].id];
      for (const input of elements(row, "input", HTMLInputElement)) input.checked = String(value) === input.value;
      row.classList.toggle("current", index === current);
      row.classList.toggle("done", value !== undefined);
    }
    const done = content.units.filter(({ id }) => id in present).length;
    element(root, "#standing").textContent = gettext("{done} of {all} answered", { done, all: content.units.length });
  }

  /**
   * @param {number} index
   * @param {boolean} seen
   */
  function go(index, seen) {
    if (!rows[index]) return;
    current = index;
    draw();
    if (seen) rows[index].scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {number} index
   * @param {0 | 1} value
   */
  function choose(index, value) {
    present[content.units[index].id] = value;
    current = index;
    hintSay("");
    draw();
    page.changed();
  }

  /** @param {0 | 1} value */
  function answerNow(value) {
    choose(current, value);
    page.announce(value ? gettext("Present.") : gettext("Not present."));
    const after = [...rows.keys()].filter((index) => !(content.units[index].id in present));
    const following = after.find((index) => index > current) ?? after[0];
    if (following === undefined) return element(root, "[data-primary]").focus();
    go(following, true);
    focusOn(following);
  }

  /** @param {number} index */
  function focusOn(index) {
    element(rows[index], "input").focus({ preventScroll: true });
  }

  /** @param {string} message */
  function hintSay(message) {
    hint.textContent = message;
    hint.classList.toggle("problem", Boolean(message));
  }

  function next() {
    const lacking = content.units.find(({ id }) => !(id in present));
    if (!lacking) return page.submit();
    show([{ field: lacking.id, message: gettext("Say whether the text has this: “{unit}”", { unit: lacking.text }) }]);
    page.announce(hint.textContent ?? "");
  }

  /** @param {Missing[]} missing */
  function show([{ field, message }]) {
    hintSay(message);
    const index = content.units.findIndex(({ id }) => id === field);
    if (index < 0) return;
    go(index, true);
    focusOn(index);
  }

  /** @param {string} name */
  function key(name) {
    const small = name.toLowerCase();
    if (small === "y") answerNow(1);
    else if (small === "n") answerNow(0);
    else if (name === "ArrowDown" || name === "ArrowUp") {
      const index = Math.min(Math.max(current + (name === "ArrowDown" ? 1 : -1), 0), rows.length - 1);
      go(index, true);
      focusOn(index);
    } else if (name === "Enter") next();
    else return false;
    return true;
  }

  return {
    key,
    keys: [
      ["Y N", gettext("the unit is present, not present")],
      ["↑ ↓", gettext("unit before, after")],
    ],
    answer: () => ({ written: [], present }),
    show,
  };
}
