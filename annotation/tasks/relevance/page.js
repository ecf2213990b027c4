// Relevance prediction: two choices and submit. What is submitted stays.

import { element, elements } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";

/** @import { Missing, Mount } from "../page" */
/** @typedef {{ choices: { value: number }[] }} Content */
/** @typedef {{ relevant: number | null }} Answer */

/** @type {Mount<Content, Answer>} */
export function mount(root, { content, answer }, page) {
  const inputs = elements(root, "input[name=relevant]", HTMLInputElement);
  const hint = element(root, "#hint");
  const plain = hint.textContent;
  let relevant = answer.relevant ?? null;

  for (const [index, input] of inputs.entries()) {
    input.checked = content.choices[index].value === relevant;
    input.addEventListener("change", () => choose(index));
  }
  element(root, "[data-primary]").addEventListener("click", next);

  /** @param {number} index */
  function choose(index) {
    relevant = content.choices[index].value;
    inputs[index].checked = true;
    say("");
    page.changed();
  }

  /** @param {string} message */
  function say(message) {
    hint.classList.toggle("problem", Boolean(message));
    hint.textContent = message || plain;
    element(root, "[role=radiogroup]").setAttribute("aria-invalid", String(Boolean(message)));
  }

  function next() {
    if (relevant !== null) return page.submit();
    show([{ field: "relevant", message: gettext("Choose relevant or not relevant.") }]);
    return page.announce(gettext("Choose relevant or not relevant."));
  }

  /** @param {Missing[]} missing */
  function show(missing) {
    say(missing[0].message);
    inputs[0].focus();
  }

  /** @param {string} name */
  function key(name) {
    if (name === "Enter") next();
    else if (name === "1" || name === "2") {
      choose(Number(name) - 1);
      inputs[Number(name) - 1].focus();
    } else return false;
    return true;
  }

  return {
    key,
    keys: [["1 2", gettext("relevant, not relevant")]],
    answer: () => ({ relevant }),
    show,
  };
}
