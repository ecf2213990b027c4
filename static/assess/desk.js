// The desk yields to the text: folded, it leaves its height to reading, until somebody answers or asks for it.

import { element, elements } from "./dom.js";
import { gettext } from "./gettext.js";

/**
 * @typedef {object} Desk
 * @property {() => void} toggle
 * @property {() => void} unfold
 */

/**
 * @param {HTMLElement} root the item
 * @returns {Desk}
 */
export function deskMount(root) {
  const [desk] = elements(root, ".desk");
  if (!desk) return { toggle() {}, unfold() {} };
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet small desk-fold";
  button.append(document.createElement("span"), " ");
  const key = document.createElement("span");
  key.className = "key";
  key.textContent = "F";
  button.append(key);
  button.addEventListener("click", () => set(!desk.classList.contains("folded")));
  desk.prepend(button);

  /** @param {boolean} isFolded */
  function set(isFolded) {
    desk.classList.toggle("folded", isFolded);
    button.setAttribute("aria-expanded", String(!isFolded));
    element(button, "span").textContent = isFolded ? gettext("Show questions") : gettext("Fold");
  }

  set(false);
  return {
    toggle() {
      if (getComputedStyle(button).display !== "none") set(!desk.classList.contains("folded"));
    },
    unfold: () => set(false),
  };
}
