// Building a pyramid: words of models become contributors to content units. What a unit is, and what may be done with it, is in units.js.

import { element, elements } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";
import { spanTextsMount } from "../../assess/spans.js";
import { beside, button, Finder, kept, line, make, sayer, typed, Workplace } from "../../assess/workplace.js";
import { freeId, inOrder, Refusal, unitAdd, unitJoin, unitPart, unitSplit } from "./units.js";

/** @import { KeyLine, Mount } from "../page" */
/** @import { Field } from "../../../static/assess/spans.js" */
/** @import { Part } from "../../../static/assess/offsets.js" */
/** @import { Answer, Unit } from "./units.js" */

/** @typedef {{ id: string, text: string }} Model */
/** @typedef {{ phase: "building", models: Model[], prefilled: Unit[] }} Content */
/** @typedef {Field & { model: Model, number: number }} ModelField */

const LONGEST_LABEL = 500; // signs

/**
 * Words as a label. No sign is cut in two.
 *
 * @param {string} words
 */
function labelFrom(words) {
  return [...words.replace(/\s+/gu, " ")].slice(0, LONGEST_LABEL).join("");
}

/** @type {Mount<Content, Answer>} */
export function building(root, { content, answer }, page) {
  /** @type {Answer} */
  const begun = { scus: structuredClone(answer.scus ?? content.prefilled), matches: [], outside: [] };
  let chosen = ""; // the unit
  let contributor = -1; // of the chosen unit
  let joining = ""; // the unit that the next one chosen is joined into
  /** @type {{ field: ModelField, part: Part } | null} */
  let picked = null;
  const say = sayer(element(root, "#hint"));
  /** @type {ModelField[]} */
  const fields = elements(root, "[data-text]").map((box, index) => ({
    element: box,
    text: content.models[index].text,
    name: gettext("Model {n}", { n: index + 1 }),
    model: content.models[index],
    number: index + 1,
  }));
  const texts = spanTextsMount(
    fields.map((field) => [field]),
    {
      snap: "word",
      announce: page.announce,
      selected: (field, part) => pick(/** @type {ModelField} */ (field), part),
      opened: (field, id) => listUnits(/** @type {ModelField} */ (field), id),
    },
  );
  const place = new Workplace(root, begun, page, draw, {
    drop() {
      if (!picked && !joining) return;
      picked = null;
      joining = "";
      say("");
      draw();
    },
  });
  const finder = new Finder(root, fields, { draw: () => marksDraw(), announce: page.announce });
  element(root, "[data-new]").addEventListener("click", unitNew);
  element(root, "[data-add]").addEventListener("click", add);
  element(root, "[data-part]").addEventListener("click", partAdd);
  place.show();

  // --- drawing ----------------------------------------------------------------------------------------------------------

  function draw() {
    if (!unitOf(chosen)) chosen = "";
    if (!unitOf(joining)) joining = "";
    contributor = Math.min(contributor, (unitOf(chosen)?.contributors.length ?? 0) - 1);
    kept(root, () => {
      const list = element(root, "[data-units]");
      list.replaceChildren(...inOrder(place.answer.scus).map(card));
    });
    element(root, "[data-empty]").hidden = place.answer.scus.length > 0;
    marksDraw();
    deskDraw();
  }

  function marksDraw() {
    for (const field of fields) {
      const marks = place.answer.scus.flatMap((unit, index) =>
        unit.contributors
          .filter(({ reference }) => reference === field.model.id)
          .map(({ parts }) => ({ id: `u${index}`, parts, look: unit.id === chosen ? "used lit" : "used" })),
      );
      const own = picked?.field === field ? [{ id: "", parts: [picked.part], look: "picked" }] : [];
      texts.draw(field, [...marks, ...finder.marks(field), ...own]);
    }
  }

  function deskDraw() {
    const unit = unitOf(chosen);
    const words = picked ? texts.wordsOf(picked.field, [picked.part]) : "";
    element(root, "#picked").textContent = words ? `“${words}”` : "";
    element(root, "[data-new]", HTMLButtonElement).disabled = !picked;
    element(root, "[data-add]", HTMLButtonElement).disabled = !picked || !unit;
    element(root, "[data-part]", HTMLButtonElement).disabled = !picked || !unit;
    const used = new Set(place.answer.scus.flatMap(({ contributors }) => contributors.map((one) => one.reference)));
    const bare = fields.filter(({ model }) => !used.has(model.id)).map(({ name }) => name);
    const units = ngettext("{n} unit", "{n} units", place.answer.scus.length);
    element(root, "#standing").textContent =
      bare.length && used.size ? gettext("{units} · none of {models}", { units, models: bare.join(", ") }) : units;
  }

  /** @param {Unit} unit */
  function card(unit) {
    const isChosen = unit.id === chosen;
    const weight = unit.contributors.length;
    const head = button(unit.label || gettext("No label yet"), () => choose(unit.id), {
      class: "unit-head",
      "aria-expanded": String(isChosen),
      "data-keep": `head-${unit.id}`,
      draggable: "true",
    });
    head.prepend(
      make(
        "span",
        { class: "weight number", title: ngettext("from {n} model", "from {n} models", weight) },
        String(weight),
      ),
    );
    head.addEventListener("dragstart", (event) => event.dataTransfer?.setData("text/plain", unit.id));
    head.addEventListener("dragover", (event) => event.preventDefault());
    head.addEventListener("drop", (event) => {
      event.preventDefault();
      join(unit.id, event.dataTransfer?.getData("text/plain") ?? "");
    });
    const row = make("li", { class: isChosen ? "unit-card chosen" : "unit-card" }, head);
    if (isChosen) row.append(details(unit));
    return row;
  }

  /** @param {Unit} unit */
  function details(unit) {
    return make(
      "div",
      { class: "unit-details" },
      field(unit, "label", gettext("Label"), "L", LONGEST_LABEL),
      make("ul", { class: "spans" }, ...unit.contributors.map((one, index) => contributorRow(unit, one, index))),
      field(unit, "comment", gettext("Comment"), "C", 2000),
      make(
        "div",
        { class: "acts" },
        button(gettext("Join"), joinBegin, { "data-keep": "join" }, "J"),
        button(gettext("Remove unit"), () => unitRemove(unit.id), { "data-keep": "remove" }),
      ),
    );
  }

  /**
   * @param {Unit} unit
   * @param {"label" | "comment"} name
   * @param {string} title
   * @param {string} letter
   * @param {number} most
   */
  function field(unit, name, title, letter, most) {
    const input = line(unit[name], { maxlength: String(most), "data-keep": name });
    typed(input, () =>
      place.change(`${name}.${unit.id}`, (now) => {
        const own = now.scus.find(({ id }) => id === unit.id);
        if (own) own[name] = input.value;
      }),
    );
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      texts.focus(fields[0]);
    });
    return make(
      "label",
      { class: "unit-field" },
      make("span", {}, `${title} `, make("span", { class: "key" }, letter)),
      input,
    );
  }

  /**
   * @param {Unit} unit
   * @param {{ reference: string, parts: Part[] }} one
   * @param {number} index
   */
  function contributorRow(unit, one, index) {
    const from = fields.find(({ model }) => model.id === one.reference);
    const words = from ? texts.wordsOf(from, one.parts) : "";
    const opener = button(words, () => contributorGo(index), {
      class: "span-words",
      "aria-pressed": String(index === contributor),
      "data-keep": `words-${index}`,
    });
    opener.prepend(make("span", { class: "of-model" }, `${from?.name ?? ""} `));
    return make(
      "li",
      { class: index === contributor ? "current" : "" },
      opener,
      button(gettext("Split off"), () => split(unit.id, index), {
        "data-keep": `split-${index}`,
        "aria-label": gettext("Split off “{words}”", { words }),
      }),
      button(gettext("Remove"), () => contributorRemove(unit.id, index), {
        "data-keep": `drop-${index}`,
        "aria-label": gettext("Remove “{words}”", { words }),
      }),
    );
  }

  // --- what can be done -------------------------------------------------------------------------------------------------

  /** @param {string} id */
  function unitOf(id) {
    return place.answer.scus.find((unit) => unit.id === id);
  }

  /**
   * @param {ModelField} field
   * @param {Part} part
   */
  function pick(field, part) {
    picked = { field, part };
    const words = texts.wordsOf(field, [part]);
    say("");
    draw();
    page.announce(gettext("“{words}” selected. N makes a unit, A adds to the chosen one.", { words }));
  }

  /**
   * The units that clicked words are in; the first is chosen.
   *
   * @param {ModelField} field
   * @param {string} id
   */
  function listUnits(field, id) {
    const clicked = place.answer.scus[Number(id.slice(1))];
    const parts = clicked.contributors.find(({ reference }) => reference === field.model.id)?.parts ?? [];
    const others = place.answer.scus.filter((unit) =>
      unit.contributors.some(
        (one) =>
          one.reference === field.model.id &&
          one.parts.some(([start, end]) => parts.some(([from, to]) => start < to && from < end)),
      ),
    );
    choose(clicked.id);
    contributor = clicked.contributors.findIndex(({ reference }) => reference === field.model.id);
    draw();
    say(gettext("These words are in: {units}", { units: others.map(({ label }) => label || "–").join(" · ") }), false);
  }

  /** @param {string} id */
  function choose(id) {
    if (joining && joining !== id) return join(joining, id);
    joining = "";
    chosen = chosen === id && !picked ? "" : id;
    contributor = -1;
    say("");
    draw();
    root.querySelector(".unit-card.chosen")?.scrollIntoView({ block: "nearest" });
  }

  /**
   * A change that may be refused in words.
   *
   * @param {(now: Answer) => void} act
   */
  function tried(act) {
    try {
      place.change("", act);
      return true;
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      say(problem.message);
      return false;
    }
  }

  function unitNew() {
    if (!picked) return say(gettext("Select words in a model first."));
    const { field, part } = picked;
    const id = freeId(place.answer.scus);
    const label = labelFrom(texts.wordsOf(field, [part]));
    picked = null;
    chosen = id;
    contributor = 0;
    tried((now) =>
      now.scus.push({ id, label, comment: "", contributors: [{ reference: field.model.id, parts: [part] }] }),
    );
    page.announce(gettext("New unit: {label}", { label }));
    root.querySelector(".unit-card.chosen")?.scrollIntoView({ block: "nearest" });
  }

  function add() {
    const unit = unitOf(chosen);
    if (!picked || !unit) return say(gettext("Select words, and choose a unit to add them to."));
    const { field, part } = picked;
    const isDone = tried((now) => unitAdd(now, chosen, field.model.id, [part], field.name));
    if (!isDone) return;
    picked = null;
    contributor = unit.contributors.findIndex(({ reference }) => reference === field.model.id);
    draw();
    page.announce(gettext("Added to {label}", { label: unit.label }));
  }

  function partAdd() {
    const unit = unitOf(chosen);
    if (!picked || !unit) return say(gettext("Select words, and choose the contributor to add them to."));
    const { field, part } = picked;
    const index =
      contributor >= 0 ? contributor : unit.contributors.findIndex(({ reference }) => reference === field.model.id);
    if (!tried((now) => unitPart(now, chosen, index, field.model.id, part))) return;
    picked = null;
    contributor = index;
    draw();
    page.announce(gettext("Part added."));
  }

  /**
   * @param {string} id
   * @param {number} index
   */
  function split(id, index) {
    const unit = unitOf(id);
    const one = unit?.contributors[index];
    if (!unit || !one || unit.contributors.length < 2)
      return say(gettext("A unit with one contributor cannot be split."));
    const from = fields.find(({ model }) => model.id === one.reference);
    const label = from ? labelFrom(texts.wordsOf(from, one.parts)) : "";
    contributor = -1;
    tried((now) => unitSplit(now, id, index, label));
    page.announce(gettext("Split off: {label}", { label }));
  }

  function joinBegin() {
    if (!unitOf(chosen)) return say(gettext("Choose a unit first."));
    joining = chosen;
    say(
      gettext("Choose the unit to join with “{label}”. Escape leaves it.", { label: unitOf(chosen)?.label ?? "" }),
      false,
    );
  }

  /**
   * @param {string} into
   * @param {string} other
   */
  function join(into, other) {
    joining = "";
    if (into === other || !unitOf(into) || !unitOf(other)) return draw();
    chosen = into;
    contributor = -1;
    const names = Object.fromEntries(fields.map(({ model, name }) => [model.id, name]));
    if (tried((now) => unitJoin(now, into, other, names))) page.announce(gettext("Joined."));
    else draw();
  }

  /** @param {string} id */
  function unitRemove(id) {
    place.change("", (now) => {
      now.scus = now.scus.filter((unit) => unit.id !== id);
    });
    page.announce(gettext("Unit removed."));
  }

  /**
   * @param {string} id
   * @param {number} index
   */
  function contributorRemove(id, index) {
    const unit = unitOf(id);
    if (unit?.contributors.length === 1) return unitRemove(id);
    contributor = -1;
    place.change("", (now) => {
      now.scus.find((other) => other.id === id)?.contributors.splice(index, 1);
    });
    page.announce(gettext("Removed."));
  }

  // --- moving -----------------------------------------------------------------------------------------------------------

  /** @param {1 | -1} by */
  function unitStep(by) {
    const ordered = inOrder(place.answer.scus);
    if (!ordered.length) return;
    const next = beside(ordered, chosen, by);
    chosen = next.id;
    contributor = -1;
    draw();
    root.querySelector(".unit-card.chosen")?.scrollIntoView({ block: "nearest" });
    page.announce(next.label || gettext("No label yet"));
  }

  /** @param {number} index */
  function contributorGo(index) {
    const unit = unitOf(chosen);
    const one = unit?.contributors[index];
    if (!one) return;
    contributor = index;
    draw();
    const from = fields.find(({ model }) => model.id === one.reference);
    const at = unit && from ? texts.markOf(from, `u${place.answer.scus.indexOf(unit)}`) : null;
    at?.scrollIntoView({ block: "nearest" });
    if (from) page.announce(`${from.name}: ${texts.wordsOf(from, one.parts)}`);
  }

  /** @param {string} name */
  function focusOn(name) {
    const input = root.querySelector(`[data-keep="${name}"]`);
    if (!(input instanceof HTMLTextAreaElement)) return say(gettext("Choose a unit first."));
    input.focus();
    input.select();
  }

  /** @param {string} name */
  function key(name) {
    const small = name.length === 1 ? name.toLowerCase() : name;
    const count = unitOf(chosen)?.contributors.length ?? 0;
    // Words that keys have selected are meant, whether Enter was pressed or not.
    if ("nap".includes(small)) texts.take();
    if (small === "n") unitNew();
    else if (small === "a") add();
    else if (small === "p") partAdd();
    else if (small === "j") joinBegin();
    else if (small === "s" && chosen && contributor >= 0) split(chosen, contributor);
    else if (small === "l") focusOn("label");
    else if (small === "c") focusOn("comment");
    else if (small === "f") finder.input.focus();
    else if (small === "[" || small === "]") unitStep(small === "[" ? -1 : 1);
    else if ((small === "," || small === ".") && count)
      contributorGo((contributor + (small === "," ? -1 : 1) + count) % count);
    else if ((small === "Delete" || small === "Backspace") && chosen) {
      if (contributor >= 0) contributorRemove(chosen, contributor);
      else unitRemove(chosen);
    } else if (small === "Enter" && document.activeElement?.matches("[data-primary]")) page.submit();
    else if (small === "ArrowLeft" || small === "ArrowRight") texts.begin(fields[0]);
    else return false;
    return true;
  }

  /** @type {KeyLine[]} */
  const keys = [
    ["← →", gettext("in a text: the word before, after (Shift grows, Alt by letter)")],
    ["⏎", gettext("in a text: choose the selected words")],
    ["N A P", gettext("make a unit of them, add them to the chosen one, add them as a part")],
    ["[ ]", gettext("unit before, after")],
    [", .", gettext("contributor before, after")],
    ["L C", gettext("label, comment")],
    ["J S", gettext("join with another unit, split the contributor off")],
    ["Del", gettext("remove the contributor, or the unit")],
    ["F", gettext("find in the texts")],
    ["Ctrl+Z Ctrl+Y", gettext("undo, redo")],
    ["Ctrl ⏎", gettext("submit")],
  ];

  return {
    answer: () => place.answer,
    key,
    keys,
    show([{ field, message }]) {
      if (unitOf(field)) {
        chosen = field;
        draw();
        focusOn("label");
      }
      say(message);
    },
  };
}
