// Matching a text with a pyramid: its words are matched with content units, or set aside.

import { element, elements } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";
import { overlaps } from "../../assess/offsets.js";
import { spanTextsMount } from "../../assess/spans.js";
import { beside, button, hitsIn, kept, make, sayer, uncovered, Workplace } from "../../assess/workplace.js";
import { matchPart, Refusal } from "./units.js";

/** @import { KeyLine, Mount } from "../page" */
/** @import { Field } from "../../../static/assess/spans.js" */
/** @import { Part } from "../../../static/assess/offsets.js" */
/** @import { Answer, Contributor } from "./units.js" */

/** @typedef {{ id: string, label: string, weight?: number, contributors: Contributor[] }} Shown */
/** @typedef {{ phase: "matching", text: string, models: { id: string, text: string }[], scus: Shown[], cover: boolean }} Content */

/** @type {Mount<Content, Answer>} */
export function matching(root, { content, answer }, page) {
  /** @type {Answer} */
  const begun = {
    scus: [],
    matches: structuredClone(answer.matches ?? []),
    outside: structuredClone(answer.outside ?? []),
  };
  let chosen = "";
  let shown = -1; // which contributor of the chosen unit is in view
  /** @type {Part | null} */
  let picked = null;
  const say = sayer(element(root, "#hint"));
  const filter = element(root, "[data-filter]", HTMLInputElement);
  /** @type {Field} */
  const field = { element: element(root, "[data-text]"), text: content.text, name: gettext("Text") };
  /** @type {(Field & { model: string })[]} */
  const models = elements(root, "[data-model]").map((box, index) => ({
    element: box,
    text: content.models[index].text,
    name: gettext("Model {n}", { n: index + 1 }),
    resting: true,
    model: content.models[index].id,
  }));
  const texts = spanTextsMount([[field], ...models.map((model) => [model])], {
    snap: "word",
    announce: page.announce,
    selected: (_, part) => pick(part),
    opened: (_, id) => opened(id),
  });
  const place = new Workplace(root, begun, page, draw, {
    drop() {
      picked = null;
      draw();
    },
  });
  element(root, "[data-add]").addEventListener("click", add);
  element(root, "[data-aside]").addEventListener("click", setAside);
  element(root, "[data-next]").addEventListener("click", next);
  filter.addEventListener("input", draw);
  filter.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      filter.value = "";
      draw();
      texts.focus(field);
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const [first] = visible();
      if (!first) return;
      choose(first.id, true);
      if (picked) add();
      filter.value = "";
      draw();
      texts.focus(field);
    }
  });
  place.show();

  // --- drawing ----------------------------------------------------------------------------------------------------------

  function draw() {
    const { matches, outside } = place.answer;
    texts.draw(field, [
      ...matches.map(({ scu, parts }, index) => ({
        id: `m${index}`,
        parts,
        look: scu === chosen ? "used lit" : "used",
      })),
      ...outside.map((parts, index) => ({ id: `o${index}`, parts, look: "set-aside" })),
      ...(picked ? [{ id: "", parts: [picked], look: "picked" }] : []),
    ]);
    const unit = unitOf(chosen);
    for (const model of models) {
      const own = unit?.contributors.filter(({ reference }) => reference === model.model) ?? [];
      texts.draw(
        model,
        own.map((one) => ({
          id: "lit",
          parts: one.parts,
          look: unit?.contributors.indexOf(one) === shown ? "used lit found-now" : "used lit",
        })),
      );
    }
    kept(root, () => {
      element(root, "[data-units]").replaceChildren(...visible().map(card));
      element(root, "[data-outside]").replaceChildren(
        ...outside.map((parts, index) => spanRow(parts, `o${index}`, () => outsideRemove(index))),
      );
    });
    element(root, ".aside").hidden = !outside.length;
    deskDraw();
  }

  function deskDraw() {
    element(root, "#picked").textContent = picked ? `“${texts.wordsOf(field, [picked])}”` : "";
    element(root, "[data-add]", HTMLButtonElement).disabled = !picked || !chosen;
    element(root, "[data-aside]", HTMLButtonElement).disabled = !picked;
    const left = stretches();
    element(root, "[data-next]", HTMLButtonElement).disabled = !left.length;
    const place_ = texts.offsets(field);
    const words = left.reduce(
      (sum, [start, end]) =>
        sum + place_.words().filter((word) => start <= word[0] && word[1] <= end && isWord(place_.slice(word))).length,
      0,
    );
    element(root, "#standing").textContent = words
      ? ngettext("{n} word is left", "{n} words are left", words)
      : gettext("Every word is matched or set aside");
  }

  /** @param {string} text */
  function isWord(text) {
    return /[\p{L}\p{N}]/u.test(text);
  }

  function stretches() {
    const { matches, outside } = place.answer;
    return uncovered(texts, field, [...matches.flatMap(({ parts }) => parts), ...outside.flat()]);
  }

  function visible() {
    const wanted = filter.value.trim().toLocaleLowerCase();
    return wanted ? content.scus.filter(({ label }) => hitsIn(label, wanted).length) : content.scus;
  }

  /** @param {Shown} unit */
  function card(unit) {
    const isChosen = unit.id === chosen;
    const own = place.answer.matches
      .map((match, index) => ({ match, index }))
      .filter(({ match }) => match.scu === unit.id);
    const head = button(unit.label, () => choose(unit.id), {
      class: "unit-head",
      "aria-expanded": String(isChosen),
      "data-keep": `head-${unit.id}`,
    });
    if (unit.weight !== undefined) head.prepend(make("span", { class: "weight number" }, String(unit.weight)));
    if (own.length) head.append(make("span", { class: "times" }, ngettext("found", "found {n} times", own.length)));
    const row = make("li", { class: isChosen ? "unit-card chosen" : "unit-card" }, head);
    if (isChosen && own.length) {
      row.append(
        make(
          "ul",
          { class: "spans" },
          ...own.map(({ match, index }) => spanRow(match.parts, `m${index}`, () => matchRemove(index))),
        ),
      );
    }
    return row;
  }

  /**
   * @param {Part[]} parts
   * @param {string} id
   * @param {() => void} remove
   */
  function spanRow(parts, id, remove) {
    const words = texts.wordsOf(field, parts);
    return make(
      "li",
      {},
      button(words, () => texts.markOf(field, id)?.scrollIntoView({ block: "nearest" }), {
        class: "span-words",
        "data-keep": `words-${id}`,
      }),
      button(gettext("Remove"), remove, {
        "data-keep": `drop-${id}`,
        "aria-label": gettext("Remove “{words}”", { words }),
      }),
    );
  }

  // --- what can be done -------------------------------------------------------------------------------------------------

  /** @param {string} id */
  function unitOf(id) {
    return content.scus.find((unit) => unit.id === id);
  }

  /** @param {Part} part */
  function pick(part) {
    picked = part;
    say("");
    draw();
    const words = texts.wordsOf(field, [part]);
    page.announce(gettext("“{words}” selected. F finds a unit, A adds to the chosen one, O sets aside.", { words }));
  }

  /** @param {string} id */
  function opened(id) {
    const index = Number(id.slice(1));
    if (id.startsWith("m")) choose(place.answer.matches[index].scu, true);
    else say(gettext("These words are set aside as not in the pyramid."), false);
  }

  /**
   * @param {string} id
   * @param {boolean} [stays] also if it is chosen already
   */
  function choose(id, stays = false) {
    chosen = chosen === id && !stays && !picked ? "" : id;
    shown = -1;
    say("");
    draw();
    root.querySelector(".unit-card.chosen")?.scrollIntoView({ block: "nearest" });
    if (chosen && unitOf(chosen)) contributorGo(0);
  }

  function add() {
    const unit = unitOf(chosen);
    if (!picked || !unit) return say(gettext("Select words, and choose the unit that they express."));
    const part = picked;
    const { matches, outside } = place.answer;
    if (matches.some(({ scu, parts }) => scu === unit.id && overlaps(parts, [part]))) {
      return say(gettext("These words are matched with this unit already."));
    }
    if (outside.some((parts) => overlaps(parts, [part]))) {
      return say(gettext("These words are set aside. Remove them there first."));
    }
    picked = null;
    place.change("", (now) => now.matches.push({ scu: unit.id, parts: [part] }));
    say("");
    page.announce(gettext("Added to {label}", { label: unit.label }));
    texts.focus(field);
  }

  function partAdd() {
    const last = place.answer.matches.findLastIndex(({ scu }) => scu === chosen);
    if (!picked || last < 0) return say(gettext("Select words, and choose the unit whose last words they belong to."));
    const part = picked;
    try {
      place.change("", (now) => matchPart(now, last, part));
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      return say(problem.message);
    }
    picked = null;
    say("");
    draw();
    page.announce(gettext("Part added."));
  }

  function setAside() {
    if (!picked) return say(gettext("Select the words to set aside."));
    const part = picked;
    const { matches, outside } = place.answer;
    if ([...matches.map(({ parts }) => parts), ...outside].some((parts) => overlaps(parts, [part]))) {
      return say(gettext("Some of these words are matched or set aside already."));
    }
    picked = null;
    place.change("", (now) => now.outside.push([part]));
    say("");
    page.announce(gettext("Set aside."));
    texts.focus(field);
  }

  /** The next words that are neither matched nor set aside. */
  function next() {
    const left = stretches();
    const after = left.find(([start]) => !picked || start >= picked[1]) ?? left[0];
    if (!after) return say(gettext("Every word is matched or set aside"), false);
    pick(after);
    field.element.querySelector("mark.picked")?.scrollIntoView({ block: "nearest" });
    texts.focus(field);
  }

  /** @param {number} index */
  function matchRemove(index) {
    place.change("", (now) => now.matches.splice(index, 1));
    page.announce(gettext("Removed."));
  }

  /** @param {number} index */
  function outsideRemove(index) {
    place.change("", (now) => now.outside.splice(index, 1));
    page.announce(gettext("Removed."));
  }

  /** @param {1 | -1} by */
  function unitStep(by) {
    const list = visible();
    if (!list.length) return;
    choose(beside(list, chosen, by).id, true);
    page.announce(unitOf(chosen)?.label ?? "");
  }

  /** @param {number} index */
  function contributorGo(index) {
    const one = unitOf(chosen)?.contributors[index];
    if (!one) return;
    shown = index;
    draw();
    const model = models.find((each) => each.model === one.reference);
    model?.element.querySelector("mark.found-now")?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} name */
  function key(name) {
    const small = name.length === 1 ? name.toLowerCase() : name;
    const count = unitOf(chosen)?.contributors.length ?? 0;
    // Words that keys have selected are meant, whether Enter was pressed or not.
    if ("apof".includes(small)) texts.take();
    if (small === "a") add();
    else if (small === "p") partAdd();
    else if (small === "o") setAside();
    else if (small === "w") next();
    else if (small === "f") filter.focus();
    else if (small === "[" || small === "]") unitStep(small === "[" ? -1 : 1);
    else if ((small === "," || small === ".") && count) {
      contributorGo((shown + (small === "," ? -1 : 1) + count) % count);
      const one = unitOf(chosen)?.contributors[shown];
      const model = models.find((each) => each.model === one?.reference);
      if (one && model) page.announce(`${model.name}: ${texts.wordsOf(model, one.parts)}`);
    } else if (small === "Delete" || small === "Backspace") {
      const last = place.answer.matches.findLastIndex(({ scu }) => scu === chosen);
      if (last < 0) return false;
      matchRemove(last);
    } else if (small === "Enter" && document.activeElement?.matches("[data-primary]")) page.submit();
    else if (small === "ArrowLeft" || small === "ArrowRight") texts.begin(field);
    else return false;
    return true;
  }

  /** @type {KeyLine[]} */
  const keys = [
    ["← →", gettext("in a text: the word before, after (Shift grows, Alt by letter)")],
    ["⏎", gettext("in a text: choose the selected words")],
    ["W", gettext("the next words that are left")],
    ["F", gettext("find a unit by its label; Enter adds the words to the first")],
    ["[ ]", gettext("unit before, after")],
    ["A P", gettext("add the words to the chosen unit, add them as a part")],
    ["O", gettext("set the words aside: not in the pyramid")],
    [", .", gettext("contributor before, after")],
    ["Del", gettext("remove the last words of the unit")],
    ["Ctrl+Z Ctrl+Y", gettext("undo, redo")],
    ["Ctrl ⏎", gettext("submit")],
  ];

  return {
    answer: () => place.answer,
    key,
    keys,
    show([{ field: where, message }]) {
      if (where === "cover") next();
      else if (unitOf(where)) choose(where, true);
      say(message);
    },
  };
}
