// Keys act on the task unless the assessor is typing, a dialog is open, or a control of the bar has the focus and
// the key is its own.

import { elements, targetOf } from "./dom.js";
import { keep, kept } from "./store.js";

const TYPING = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
// These keep Enter and space to themselves. In the task Enter always goes on, and space presses what has the focus.
const OWN = "a, summary, button:not([data-primary], [data-continue], .unit, .choice-button)";

const INPUT_METHOD = 229;
const ANSWERS = /^[\p{L}\p{N}-]$/u;

/** WCAG 2.1.4: whoever dictates, or strikes keys by accident, can switch off keys that are single characters. */
export function singleKeysOn() {
  return kept("single-keys") !== false;
}

/** @param {boolean} on */
export function singleKeysSet(on) {
  keep("single-keys", on);
}

/** @type {Element | null} */
let walkedTo = null; // what the assessor went to by keyboard, and so may want to press with space

/** The page moves the focus too, say to the next question; space there goes on reading and chooses nothing. */
function walksWatch() {
  let isWalking = false;
  document.addEventListener(
    "keydown",
    ({ key }) => {
      isWalking = ["Tab", "ArrowLeft", "ArrowRight"].includes(key);
    },
    { capture: true },
  );
  document.addEventListener(
    "pointerdown",
    () => {
      isWalking = false;
    },
    { capture: true },
  );
  document.addEventListener("focusin", (event) => {
    walkedTo = isWalking ? targetOf(event) : null;
  });
}

/**
 * The Enter that ends the composing of a word goes to the word alone. Safari says of it that nothing is being composed any more; that
 * it went to the input method is told by its number there and everywhere.
 */
function composingWatch() {
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.keyCode === INPUT_METHOD) event.stopPropagation();
    },
    { capture: true },
  );
}

/**
 * Whether a key belongs to what has the focus: space presses a control that one has gone to, arrows scroll such a text.
 *
 * @param {string} key
 * @param {Element} target
 */
function isItsOwn(key, target) {
  if (target !== walkedTo) return false;
  if (key === " ") return target.matches("input, button") && !target.matches(":checked");
  return (key === "ArrowUp" || key === "ArrowDown") && target.matches(".pane, .set");
}

/**
 * ``task`` returns whether it used the key, ``scroll`` whether it scrolled a text by it; ``help`` shows the keys.
 *
 * @param {object} handlers
 * @param {(key: string, event: KeyboardEvent) => boolean} handlers.task
 * @param {(key: string, event: KeyboardEvent) => boolean} handlers.scroll
 * @param {() => unknown} handlers.help
 */
export function listen(handlers) {
  walksWatch();
  composingWatch();
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const target = targetOf(event);
    // F1 types nothing: it opens the instructions also from a field.
    if ((target.closest(TYPING) && key !== "F1") || document.querySelector("dialog[open]")) return;
    if (key === "Escape") return closeMenus();
    const presser = key === "Enter" || key === " " ? target.closest(OWN) : null;
    if (presser && !(key === " " && presser.matches("a"))) return; // space does nothing to a link
    if (isItsOwn(key, target)) return;
    // Held down, a letter would answer one question after the other.
    if (event.repeat && (key === "Enter" || ANSWERS.test(key))) return event.preventDefault();
    const isSingle = key.length === 1 && key !== " ";
    if (isSingle && !singleKeysOn()) return;
    const used = key === "?" ? handlers.help() !== false : handlers.task(key, event);
    if (used || handlers.scroll(key, event)) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const target = targetOf(event);
    for (const menu of elements(document, "details.menu[open]", HTMLDetailsElement)) {
      if (!menu.contains(target) || target.closest("button:not([data-look])")) menu.open = false;
    }
  });
}

function closeMenus() {
  for (const menu of elements(document, "details.menu[open]", HTMLDetailsElement)) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
}
