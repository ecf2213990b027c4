// Which of several texts is the best one.

import { element, elements } from "../../assess/dom.js";

/** @type {import("../../../../annotation/tasks/page").Mount<object, { best: number | null }>} */
export function mount(root, { answer }, page) {
  const inputs = elements(root, "input[name=best]", HTMLInputElement);
  for (const [place, input] of inputs.entries()) {
    input.checked = place === answer.best;
    input.addEventListener("change", () => page.changed());
  }
  element(root, "[data-primary]").addEventListener("click", () => page.submit());

  const best = () => {
    const place = inputs.findIndex((input) => input.checked);
    return place < 0 ? null : place;
  };

  /** @param {string} name */
  function key(name) {
    if (name === "Enter") page.submit();
    else if (Number(name) >= 1 && Number(name) <= inputs.length) {
      inputs[Number(name) - 1].checked = true;
      page.changed();
    } else return false;
    return true;
  }

  return {
    key,
    keys: [["1 2 …", "the best text"]],
    answer: () => ({ best: best() }),
    show: (missing) => {
      element(root, "#hint").textContent = missing[0].message;
    },
  };
}
