// One question with a few answers: chosen by mouse or by its digit, submitted by Enter.

import { element, elements } from "./dom.js";
import { keysOf } from "./scales.js";

/** @import { KeyLine, Missing, Page } from "../../annotation/tasks/page" */

/**
 * @param {Element} root
 * @param {{ name: string, choices: { value: number, label: string }[], value: number | null | undefined, ask: string }} question
 *   its inputs' name, what they stand for, what was chosen before, and what to say where nothing is
 * @param {Page} page
 */
export function oneChoice(root, { name, choices, value, ask }, page) {
  const inputs = elements(root, `input[name=${name}]`, HTMLInputElement);
  const keys = keysOf(choices);
  const hint = element(root, "#hint");
  const plain = hint.textContent;
  let chosen = value ?? null;

  for (const [index, input] of inputs.entries()) {
    input.checked = choices[index].value === chosen;
    element(input.parentElement ?? root, ".key").textContent = keys[index];
    input.addEventListener("change", () => choose(index));
  }
  element(root, "[data-primary]").addEventListener("click", next);

  /** @param {number} index */
  function choose(index) {
    chosen = choices[index].value;
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
    if (chosen !== null) return page.submit();
    show([{ field: name, message: ask }]);
    return page.announce(ask);
  }

  /** @param {Missing[]} missing */
  function show(missing) {
    say(missing[0].message);
    inputs[0].focus();
  }

  /** @param {string} pressed */
  function key(pressed) {
    const index = keys.indexOf(pressed);
    if (pressed === "Enter") next();
    else if (index >= 0) {
      choose(index);
      inputs[index].focus();
    } else return false;
    return true;
  }

  /** @type {KeyLine[]} */
  const keyLines = choices.map(({ label }, index) => [keys[index], label]);

  return { key, keys: keyLines, next, show, chosen: () => chosen };
}
