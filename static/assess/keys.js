// Keys act on the task unless the assessor is typing, a dialog is open, or a control of the bar has the focus and
// the key is its own.

import { elements, targetOf } from "./dom.js";
import { keep, kept } from "./store.js";

const TYPING = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
// These keep Enter and space to themselves. In the task Enter always goes on, and space presses what has the focus.
const OWN = "a, summary, button:not([data-primary], [data-continue], .unit, .choice-button)";

/** WCAG 2.1.4: whoever dictates, or strikes keys by accident, can switch off keys that are single characters. */
export function singleKeysOn() {
  return kept("single-keys") !== false;
}

/** @param {boolean} on */
export function singleKeysSet(on) {
  keep("single-keys", on);
}

/**
 * ``task`` returns whether it used the key; ``help`` shows the keys.
 *
 * @param {{ task: (key: string, event: KeyboardEvent) => boolean, help: () => unknown }} handlers
 */
export function listen(handlers) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const target = targetOf(event);
    if (target.closest(TYPING) || document.querySelector("dialog[open]")) return;
    if (key === "Escape") return closeMenus();
    if ((key === "Enter" || key === " ") && target.closest(OWN)) return;
    if (key === "Enter" && event.repeat) return event.preventDefault();
    const isSingle = key.length === 1 && key !== " ";
    if (isSingle && !singleKeysOn()) return;
    const used = key === "?" ? handlers.help() !== false : handlers.task(key, event);
    if (used) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const target = targetOf(event);
    for (const menu of elements(document, "details.menu[open]", HTMLDetailsElement)) {
      if (!menu.contains(target) || target.closest("button")) menu.open = false;
    }
  });
}

function closeMenus() {
  for (const menu of elements(document, "details.menu[open]", HTMLDetailsElement)) {
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
}
