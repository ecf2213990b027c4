// After a submit: "Submitted · Undo" for ten seconds. The server decides whether it is still possible.

import { element } from "./dom.js";

const OFFERED = 10000; // milliseconds

/**
 * @typedef {object} Undo
 * @property {(url: string, word: string) => void} offer
 * @property {() => boolean} act whether there was something to undo
 */

/**
 * @param {(url: string) => void} take what undoing does with its address
 * @returns {Undo}
 */
export function undoMount(take) {
  const panel = element(document, "#undo");
  const button = element(panel, "button", HTMLButtonElement);
  let address = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  function hide() {
    clearTimeout(timer);
    address = "";
    panel.hidden = true;
  }

  function wait() {
    clearTimeout(timer);
    if (address) timer = setTimeout(hide, OFFERED);
  }

  function act() {
    if (!address) return false;
    const url = address;
    hide();
    take(url);
    return true;
  }

  // Whoever is on the way to it must not miss it.
  for (const kind of ["pointerenter", "focusin"]) panel.addEventListener(kind, () => clearTimeout(timer));
  for (const kind of ["pointerleave", "focusout"]) panel.addEventListener(kind, wait);
  button.addEventListener("click", act);
  return {
    act,
    offer(url, word) {
      address = url;
      element(panel, "[data-word]").textContent = word;
      panel.hidden = false;
      wait();
    },
  };
}
