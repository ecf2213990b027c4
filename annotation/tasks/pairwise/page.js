// Pairwise preference: a row of buttons from “A is better” over the tie to “B is better”; digits go to the current question.

import { comparisonMount } from "../../assess/comparison.js";
import { element, elements } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";

/** @import { KeyLine, Mount } from "../page" */
/** @import { Content as Compared } from "../../../static/assess/comparison.js" */

/** @typedef {{ winner: number | null, tie: string, strength: number }} Choice */
/** @typedef {Compared & { choices: (Choice & { label: string, key: string })[] }} Content */
/** @typedef {{ choices: Record<string, Choice>, reason: string }} Answer */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  /** @type {Record<string, Choice>} */
  const choices = { ...answer.choices };
  const names = content.criteria.map(({ name }) => name);
  const buttonsOf = (/** @type {string} */ name) =>
    elements(element(root, `.criterion[data-criterion="${name}"]`), "[data-choice]", HTMLButtonElement);
  const shared = comparisonMount(root, content, answer.reason ?? "", page, { draw });

  for (const name of names) {
    for (const [index, button] of buttonsOf(name).entries()) {
      button.addEventListener("click", () => {
        choose(name, index);
        if (shared.isOneByOne()) advance();
      });
    }
  }

  /** @param {Choice | undefined} choice */
  function indexOf(choice) {
    return content.choices.findIndex(
      ({ winner, tie, strength }) =>
        choice && winner === choice.winner && tie === choice.tie && (winner === null || strength === choice.strength),
    );
  }

  /**
   * @param {string} name
   * @param {number} index
   */
  function choose(name, index) {
    const { winner, tie, strength } = content.choices[index];
    choices[name] = { winner, tie, strength };
    shared.changed();
  }

  /** On to the first question without an answer. */
  function advance() {
    const open = names.find((name) => indexOf(choices[name]) < 0);
    if (open) shared.goTo(open);
  }

  function draw() {
    for (const name of names) {
      const chosen = indexOf(choices[name]);
      for (const [index, button] of buttonsOf(name).entries()) {
        button.setAttribute("aria-pressed", String(index === chosen));
      }
    }
  }

  /** @param {string} name */
  function key(name) {
    const index = content.choices.findIndex((choice) => choice.key && choice.key === name);
    const at = names.indexOf(shared.criterion());
    /** @type {Record<string, number>} */
    const moves = { ArrowUp: -1, k: -1, ArrowDown: 1, j: 1 };
    if (index >= 0) {
      choose(names[at], index);
      page.announce(content.choices[index].label);
      advance();
    } else if (name in moves && names.length > 1) shared.step(moves[name]);
    else return shared.key(name);
    return true;
  }

  shared.goTo(names[0]);
  advance();

  /** @type {KeyLine[]} */
  const keys = content.choices.filter((choice) => choice.key).map((choice) => [choice.key, choice.label]);
  if (names.length > 1) keys.push(["↑ ↓", gettext("question before, question after (or K and J)")]);
  return {
    key,
    keys: [...keys, ...shared.keys],
    answer: () => ({ choices: { ...choices }, reason: shared.reason() }),
    show: shared.show,
  };
}
