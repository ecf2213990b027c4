// Relevance prediction: two choices and submit. What is submitted stays.

import { gettext } from "../../assess/gettext.js";
import { oneChoice } from "../../assess/one_choice.js";

/** @import { Mount } from "../page" */
/** @typedef {{ choices: { value: number, label: string }[] }} Content */
/** @typedef {{ relevant: number | null }} Answer */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const ask = gettext("Choose relevant or not relevant.");
  const question = oneChoice(root, { name: "relevant", choices: content.choices, value: answer.relevant, ask }, page);
  return {
    key: question.key,
    keys: question.keys,
    answer: () => ({ relevant: question.chosen() }),
    show: question.show,
  };
}
