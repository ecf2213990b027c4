// Keys act on the task unless the assessor is typing, a dialog is open, or a control of the bar has the focus and
// the key is its own.

import { keep, kept } from "./store.js";

const TYPING = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]";
// These keep Enter and space to themselves. In the task Enter always goes on, and space presses what has the focus.
const OWN = "a, summary, button:not([data-primary], [data-continue], .unit, .choice-button)";

/** WCAG 2.1.4: whoever dictates, or strikes keys by accident, can switch off keys that are single characters. */
export function singleKeysOn() {
  return kept("single-keys") !== false;
}

export function singleKeysSet(on) {
  keep("single-keys", on);
}

/** ``handlers``: ``task(key, event)`` returns whether it used the key; ``help()`` shows the keys. */
export function listen(handlers) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
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
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target) || event.target.closest("button")) menu.open = false;
    }
  });
}

function closeMenus() {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
}
