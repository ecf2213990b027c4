// Relevance prediction: two choices and submit. What is submitted stays.

import { gettext } from "../../assess/gettext.js";
import { oneChoice } from "../../assess/one_choice.js";

/** @import { Mount } from "../page" */
/** @typedef {{ choices: { value: number }[] }} Content */
/** @typedef {{ relevant: number | null }} Answer */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const values = content.choices.map((choice) => choice.value);
  const ask = gettext("Choose relevant or not relevant.");
  const question = oneChoice(root, { name: "relevant", values, value: answer.relevant, ask }, page);
  return {
    key: question.key,
    keys: [["1 2", gettext("relevant, not relevant")]],
    answer: () => ({ relevant: question.chosen() }),
    show: question.show,
  };
}
