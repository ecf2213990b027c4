// What stands under a unit: its errors, what else can be said of it, its score. And how an error looks and reads.

import { gettext, lower } from "../../assess/gettext.js";
import { button, make } from "./make.js";

/** @import { Content, Model, Ref, Scale } from "./model.js" */

/**
 * @typedef {object} Foot
 * @property {HTMLElement} root
 * @property {HTMLElement} list
 * @property {HTMLElement} hint
 * @property {HTMLElement} word
 * @property {HTMLElement | null} none
 * @property {HTMLElement | null} slider
 * @property {(model: Model, place: number, number: number) => void} draw
 */

/**
 * @param {Content} content
 * @param {string} name
 * @param {{ none: () => void, missing: () => void, category: (name: string) => void } | null} acts null: nothing but a score
 * @returns {Foot}
 */
export function unitFoot(content, name, acts) {
  const list = make("ul", { class: "found", "aria-label": gettext("Errors in {name}", { name: lower(name) }) });
  const hint = make("p", { class: "hint" });
  const word = make("p", { class: "put-in", role: "note" });
  word.hidden = true;
  const row = make("div", { class: "unit-acts" });
  /** @type {HTMLButtonElement | null} */
  let none = null;
  if (acts && !content.score) {
    none = button(gettext("No errors"), {
      key: "N",
      look: "button small unit",
      act: acts.none,
      "aria-pressed": "false",
      "aria-label": gettext("{name}: no errors", { name }),
    });
    row.append(none);
  }
  if (acts && content.missing)
    row.append(
      button(gettext("Missing"), {
        key: "M",
        act: acts.missing,
        "aria-label": gettext("{name}: something is missing", { name }),
      }),
    );
  if (acts && content.span === "optional" && content.categories !== "free") {
    for (const category of content.categories) {
      row.append(
        button(category, {
          look: "choice-button small",
          act: () => acts.category(category),
          "aria-pressed": "false",
          "data-whole": category,
        }),
      );
    }
  }
  const slider = content.score ? sliderMade(content.score, name) : null;
  const root = make(
    "div",
    { class: "unit-foot" },
    word,
    ...(acts ? [list, row] : []),
    ...(slider ? [slider] : []),
    hint,
  );
  return {
    root,
    list,
    hint,
    word,
    none,
    slider,
    draw(model, place, number) {
      const unit = model.unit(place, number);
      none?.setAttribute("aria-pressed", String(unit.none));
      if (none) none.disabled = unit.spans.length > 0;
      list.hidden = !list.children.length;
      for (const each of row.querySelectorAll("[data-whole]")) {
        const category = each.getAttribute("data-whole");
        const isOn = unit.spans.some(
          (span) => span.category === category && span.side === "output" && span.parts[0]?.[0] === 0,
        );
        each.setAttribute("aria-pressed", String(isOn));
      }
    },
  };
}

/**
 * @param {Scale} scale
 * @param {string} name
 */
function sliderMade({ low, high, labels }, name) {
  const track = make("div", { class: "track" }, make("div", { class: "thumb" }));
  const values = Object.keys(labels)
    .map(Number)
    .sort((a, b) => a - b);
  const ticks = make("p", { class: "ticks", "aria-hidden": "true" });
  for (const value of values.length ? values : [low, high]) {
    const label = labels[String(value)];
    const tick = make(
      "span",
      {},
      make("span", { class: "number" }, String(value)),
      make("span", { class: "tick-word" }, label ? ` ${label}` : ""),
    );
    tick.style.insetInlineStart = `${((value - low) / (high - low)) * 100}%`;
    tick.dataset.edge = value === low ? "low" : value === high ? "high" : "";
    ticks.append(tick);
  }
  const slider = make(
    "div",
    {
      class: "slider",
      role: "slider",
      tabindex: "0",
      "aria-label": gettext("Score of {name}", { name: lower(name) }),
      "aria-valuemin": String(low),
      "aria-valuemax": String(high),
      "aria-valuenow": String(low),
      "aria-valuetext": gettext("not chosen yet"),
    },
    track,
  );
  return make(
    "div",
    { class: "scale unit-scale" },
    slider,
    make("output", { class: "slider-value number", "aria-hidden": "true" }, "–"),
    ticks,
  );
}

/**
 * @param {Model} model
 * @param {Ref} ref
 * @param {boolean} isLit
 */
export function spanLook(model, ref, isLit) {
  const span = model.span(ref);
  const unit = model.unit(ref.place, ref.number);
  const rank = model.content.severities.findIndex(({ name }) => name === span.severity);
  const looks = [`severity-${rank < 0 ? "none" : Math.min(rank, 2)}`];
  if (model.isSuggested(span) && !span.kept) looks.push("suggested");
  if (!model.live(unit).includes(span)) looks.push("aside");
  if (model.lacks(span)) looks.push("open");
  if (isLit) looks.push("lit");
  return looks.join(" ");
}

/**
 * An error in words: what it is about, how bad it is, what it is.
 *
 * @param {Model} model
 * @param {Ref} ref
 * @param {{ text: string, lang: string }} words
 * @param {string[]} letters
 * @returns {Node[]}
 */
export function spanWords(model, ref, words, letters) {
  const span = model.span(ref);
  const shown =
    span.side === "missing"
      ? make("bdi", { class: "error-words" }, gettext("Missing"))
      : make("bdi", { class: "error-words", lang: words.lang || null }, short(words.text));
  const { severities, categories } = model.content;
  const said = [];
  if (severities.length) said.push(span.severity || gettext("severity?"));
  if (categories.length) said.push(span.category.split("/").at(-1) || gettext("category?"));
  if (letters.length) said.push(letters.join(", "));
  if (span.note) said.push(short(span.note));
  const what = make("span", { class: "error-what" }, said.join(" · "));
  const nodes = [shown, document.createTextNode(" "), what];
  if (model.isSuggested(span))
    nodes.push(make("span", { class: "badge" }, span.kept ? gettext("kept") : gettext("suggested")));
  if (!model.live(model.unit(ref.place, ref.number)).includes(span))
    nodes.push(make("span", { class: "badge" }, gettext("set aside")));
  return nodes;
}

/** @param {string} text */
function short(text) {
  const signs = [...text.replace(/\s+/gu, " ").trim()];
  return signs.length > 40 ? `${signs.slice(0, 39).join("")}…` : signs.join("");
}
