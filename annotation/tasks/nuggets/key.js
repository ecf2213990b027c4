// Making the key: facts of all answers as short clauses, each vital or okay, the most important first.

import { element, elements } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";
import { spanTextsMount } from "../../assess/spans.js";
import { beside, button, Finder, kept, line, make, sayer, typed, Workplace } from "../../assess/workplace.js";

/** @import { KeyLine, Mount } from "../page" */
/** @import { Field } from "../../../static/assess/spans.js" */
/** @import { Part } from "../../../static/assess/offsets.js" */

/** @typedef {"" | "vital" | "okay"} Status */
/** @typedef {{ id: string, text: string, status: Status }} Nugget */
/** @typedef {{ phase: "key", strings: string[], prefilled: Nugget[], max_nuggets: number }} Content */
/** @typedef {{ nuggets: Nugget[], covered: number[], support: Record<string, { value: number | null, strings: number[] }> }} Answer */

const LONG = 12; // words; a nugget is a short clause

/** @type {Mount<Content, Answer>} */
export function keyMaking(root, { content, answer }, page) {
  /** @type {Answer} */
  const begun = {
    nuggets: structuredClone(answer.nuggets ?? content.prefilled),
    covered: [...(answer.covered ?? [])],
    support: {},
  };
  let chosen = "";
  let merging = ""; // the nugget that the next one chosen is merged into
  let isAsked = false; // whether it was asked about a key without a vital nugget
  let current = 0; // the string that was entered last
  /** @type {{ field: Field, part: Part } | null} */
  let picked = null;
  const hint = element(root, "#hint");
  const say = sayer(hint);
  /** @type {Field[]} */
  const fields = elements(root, "[data-text]").map((box, index) => ({
    element: box,
    text: content.strings[index],
    name: gettext("Answer {n}", { n: index + 1 }),
  }));
  const texts = spanTextsMount([fields], {
    snap: "word",
    announce: page.announce,
    selected: pick,
    opened: () => {},
    entered: (field) => {
      current = fields.indexOf(field);
    },
  });
  const place = new Workplace(root, begun, page, draw, {
    submit,
    drop() {
      if (!picked && !merging) return;
      picked = null;
      merging = "";
      say("");
      draw();
    },
  });
  const finder = new Finder(root, fields, { draw: marksDraw, announce: page.announce });
  for (const [index, box] of elements(root, "[data-covered]", HTMLInputElement).entries()) {
    box.addEventListener("change", () => cover(index));
  }
  element(root, "[data-new]").addEventListener("click", nuggetNew);
  place.show();

  // --- drawing ----------------------------------------------------------------------------------------------------------

  function draw() {
    if (!nuggetOf(chosen)) chosen = "";
    kept(root, () => element(root, "[data-units]").replaceChildren(...place.answer.nuggets.map(card)));
    element(root, "[data-empty]").hidden = place.answer.nuggets.length > 0;
    for (const [index, box] of elements(root, "[data-covered]", HTMLInputElement).entries()) {
      box.checked = place.answer.covered.includes(index);
      box.closest(".string")?.classList.toggle("covered", box.checked);
    }
    marksDraw();
    const { nuggets, covered } = place.answer;
    const counted = ngettext("{n} nugget", "{n} nuggets", nuggets.length);
    element(root, "#picked").textContent = picked ? `“${texts.wordsOf(picked.field, [picked.part])}”` : "";
    element(root, "#standing").textContent = gettext(
      "{nuggets}, vital: {vital} · answers covered: {covered} of {all}",
      {
        nuggets: counted,
        vital: nuggets.filter(({ status }) => status === "vital").length,
        covered: covered.length,
        all: content.strings.length,
      },
    );
  }

  function marksDraw() {
    for (const field of fields) {
      const own = picked?.field === field ? [{ id: "", parts: [picked.part], look: "picked" }] : [];
      texts.draw(field, [...finder.marks(field), ...own]);
    }
  }

  /**
   * @param {Nugget} nugget
   * @param {number} index
   */
  function card(nugget, index) {
    const isChosen = nugget.id === chosen;
    const input = line(nugget.text, {
      maxlength: "2000",
      "aria-label": gettext("Nugget {n}", { n: index + 1 }),
      "data-keep": `text-${nugget.id}`,
    });
    input.addEventListener("focus", () => {
      if (chosen !== nugget.id && !merging) choose(nugget.id);
    });
    typed(input, () =>
      place.change(`text.${nugget.id}`, () => Object.assign(nuggetOf(nugget.id) ?? {}, { text: input.value })),
    );
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      input.blur();
    });
    const row = make("li", { class: isChosen ? "unit-card nugget-card chosen" : "unit-card nugget-card" });
    row.addEventListener("click", () => choose(nugget.id));
    row.append(
      make(
        "div",
        { class: "nugget-line" },
        make("span", { class: "number muted" }, String(index + 1)),
        input,
        statusOf(nugget, index),
      ),
    );
    const words = nugget.text.trim().split(/\s+/u).filter(Boolean).length;
    if (words > LONG) {
      row.append(
        make(
          "p",
          { class: "hint" },
          ngettext("{n} word; a nugget is a short clause.", "{n} words; a nugget is a short clause.", words),
        ),
      );
    }
    if (isChosen) row.append(acts(nugget, index));
    return row;
  }

  /**
   * @param {Nugget} nugget
   * @param {number} index
   */
  function statusOf(nugget, index) {
    const choices = make("div", {
      class: "choices",
      role: "group",
      "aria-label": gettext("Nugget {n}: vital or okay", { n: index + 1 }),
    });
    for (const [status, word, letter] of /** @type {[Status, string, string][]} */ ([
      ["vital", gettext("vital"), "V"],
      ["okay", gettext("okay"), "O"],
    ])) {
      choices.append(
        button(
          word,
          () => statusSet(nugget.id, status),
          {
            class: "choice-button",
            "aria-pressed": String(nugget.status === status),
            "data-keep": `${status}-${nugget.id}`,
          },
          letter,
        ),
      );
    }
    return choices;
  }

  /**
   * @param {Nugget} nugget
   * @param {number} index
   */
  function acts(nugget, index) {
    return make(
      "div",
      { class: "acts" },
      button(gettext("Up"), () => move(index, -1), { "data-keep": "up" }, "U"),
      button(gettext("Down"), () => move(index, 1), { "data-keep": "down" }, "D"),
      button(gettext("Merge"), mergeBegin, { "data-keep": "merge" }, "M"),
      button(gettext("Split"), () => split(nugget.id), { "data-keep": "split" }, "S"),
      button(gettext("Remove"), () => remove(nugget.id), { "data-keep": "remove" }),
    );
  }

  // --- what can be done -------------------------------------------------------------------------------------------------

  /** @param {string} id */
  function nuggetOf(id) {
    return place.answer.nuggets.find((nugget) => nugget.id === id);
  }

  function freeId() {
    const used = place.answer.nuggets.map(({ id }) => Number(id.replace(/\D/gu, "")) || 0);
    return `n${Math.max(0, ...used) + 1}`;
  }

  /**
   * @param {Field} field
   * @param {Part} part
   */
  function pick(field, part) {
    picked = { field, part };
    say("");
    draw();
    page.announce(gettext("“{words}” selected. N makes a nugget of it.", { words: texts.wordsOf(field, [part]) }));
  }

  function nuggetNew() {
    const id = freeId();
    const text = picked ? texts.wordsOf(picked.field, [picked.part]).replace(/\s+/gu, " ") : "";
    const isTyped = !picked;
    picked = null;
    chosen = id;
    place.change("", (now) => now.nuggets.push({ id, text, status: "" }));
    if (isTyped) inputOf(id)?.focus();
    root.querySelector(".unit-card.chosen")?.scrollIntoView({ block: "nearest" });
    page.announce(gettext("New nugget: {text}", { text }));
  }

  /** @param {string} id */
  function inputOf(id) {
    const input = root.querySelector(`[data-keep="${CSS.escape(`text-${id}`)}"]`);
    return input instanceof HTMLTextAreaElement ? input : null;
  }

  /** @param {string} id */
  function choose(id) {
    if (merging && merging !== id) return merge(merging, id);
    if (chosen === id) return;
    chosen = id;
    draw();
  }

  /**
   * @param {string} id
   * @param {Status} status
   */
  function statusSet(id, status) {
    chosen = id;
    isAsked = false;
    place.change("", () => Object.assign(nuggetOf(id) ?? {}, { status }));
    say("");
    page.announce(status === "vital" ? gettext("vital") : gettext("okay"));
  }

  /**
   * @param {number} index
   * @param {1 | -1} by
   */
  function move(index, by) {
    const to = index + by;
    if (index < 0 || to < 0 || to >= place.answer.nuggets.length) return;
    place.change("", (now) => {
      const [moved] = now.nuggets.splice(index, 1);
      now.nuggets.splice(to, 0, moved);
    });
    root.querySelector(".unit-card.chosen")?.scrollIntoView({ block: "nearest" });
    page.announce(gettext("Now number {n}.", { n: to + 1 }));
  }

  function mergeBegin() {
    const nugget = nuggetOf(chosen);
    if (!nugget) return say(gettext("Choose a nugget first."));
    merging = chosen;
    say(gettext("Choose the nugget to merge into “{text}”. Escape leaves it.", { text: nugget.text }), false);
  }

  /**
   * @param {string} into
   * @param {string} other
   */
  function merge(into, other) {
    merging = "";
    chosen = into;
    place.change("", (now) => {
      const [one, two] = [into, other].map((id) => now.nuggets.find((nugget) => nugget.id === id));
      if (!one || !two) return;
      one.text = one.text === two.text ? one.text : `${one.text}; ${two.text}`;
      if (two.status === "vital") one.status = "vital";
      now.nuggets = now.nuggets.filter((nugget) => nugget !== two);
    });
    say("");
    inputOf(into)?.focus();
    page.announce(gettext("Merged. Reword it as one clause."));
  }

  /**
   * In two, where the caret stands or at the middle word.
   *
   * @param {string} id
   */
  function split(id) {
    const nugget = nuggetOf(id);
    if (!nugget) return say(gettext("Choose a nugget first."));
    const words = nugget.text.split(/\s+/u).filter(Boolean);
    if (words.length < 2) return say(gettext("A nugget of one word cannot be split."));
    const half = Math.ceil(words.length / 2);
    const made = freeId();
    place.change("", (now) => {
      const at = now.nuggets.findIndex((each) => each.id === id);
      now.nuggets[at].text = words.slice(0, half).join(" ");
      now.nuggets.splice(at + 1, 0, { id: made, text: words.slice(half).join(" "), status: nugget.status });
    });
    inputOf(id)?.focus();
    page.announce(gettext("Split in two. Reword them."));
  }

  /** @param {string} id */
  function remove(id) {
    place.change("", (now) => {
      now.nuggets = now.nuggets.filter((nugget) => nugget.id !== id);
    });
    page.announce(gettext("Nugget removed."));
  }

  /** @param {number} index */
  function cover(index) {
    place.change("", (now) => {
      const isCovered = now.covered.includes(index);
      now.covered = isCovered
        ? now.covered.filter((each) => each !== index)
        : [...now.covered, index].sort((a, b) => a - b);
    });
    page.announce(place.answer.covered.includes(index) ? gettext("Covered.") : gettext("Not covered."));
  }

  function submit() {
    const { nuggets } = place.answer;
    const isWhole = nuggets.length > 0 && nuggets.every(({ text, status }) => text.trim() && status);
    if (isWhole && !isAsked && !nuggets.some(({ status }) => status === "vital")) {
      isAsked = true;
      say(gettext("No nugget is vital, so F will be undefined. Submit again to leave it so."));
      page.announce(hint.textContent ?? "");
      return;
    }
    page.submit();
  }

  /** @param {1 | -1} by */
  function step(by) {
    const { nuggets } = place.answer;
    if (!nuggets.length) return;
    const next = beside(nuggets, chosen, by);
    if (merging) return choose(next.id);
    chosen = next.id;
    draw();
    root.querySelector(".unit-card.chosen")?.scrollIntoView({ block: "nearest" });
    page.announce(next.text);
  }

  /** @param {string} name */
  function key(name) {
    const small = name.length === 1 ? name.toLowerCase() : name;
    const at = place.answer.nuggets.findIndex(({ id }) => id === chosen);
    if (small === "n") nuggetNew();
    else if (small === "v" && chosen) statusSet(chosen, "vital");
    else if (small === "o" && chosen) statusSet(chosen, "okay");
    else if (small === "u" && chosen) move(at, -1);
    else if (small === "d" && chosen) move(at, 1);
    else if (small === "m") mergeBegin();
    else if (small === "s" && chosen) split(chosen);
    else if (small === "e" && chosen) inputOf(chosen)?.focus();
    else if (small === "c") cover(current);
    else if (small === "f") finder.input.focus();
    else if (small === "[" || small === "]") step(small === "[" ? -1 : 1);
    else if ((small === "Delete" || small === "Backspace") && chosen) remove(chosen);
    else if (small === "Enter" && document.activeElement?.matches("[data-primary]")) submit();
    else if ((small === "ArrowLeft" || small === "ArrowRight") && fields.length) texts.begin(fields[current]);
    else return false;
    return true;
  }

  /** @type {KeyLine[]} */
  const keys = [
    ["← →", gettext("in a text: the word before, after (Shift grows, Alt by letter)")],
    ["↑ ↓", gettext("answer before, after")],
    ["⏎", gettext("in a text: choose the selected words")],
    ["N", gettext("new nugget, of the selected words or to be typed")],
    ["V O", gettext("the nugget is vital, okay")],
    ["E", gettext("reword the nugget")],
    ["[ ]", gettext("nugget before, after")],
    ["U D", gettext("move the nugget up, down")],
    ["M S", gettext("merge with another nugget, split in two")],
    ["Del", gettext("remove the nugget")],
    ["C", gettext("the answer is covered")],
    ["F", gettext("find in the texts")],
    ["Ctrl+Z Ctrl+Y", gettext("undo, redo")],
    ["Ctrl ⏎", gettext("submit")],
  ];

  return {
    answer: () => place.answer,
    key,
    keys,
    show([{ field, message }]) {
      const nugget = nuggetOf(field);
      if (nugget) {
        chosen = field;
        draw();
        const control = nugget.text.trim()
          ? root.querySelector(`[data-keep="${CSS.escape(`vital-${field}`)}"]`)
          : inputOf(field);
        if (control instanceof HTMLElement) control.focus();
      }
      say(message);
    },
  };
}
