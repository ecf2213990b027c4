// What the page says: to a screen reader, in the bar, and in a word that stays until it is settled.

import { element } from "./dom.js";
import { gettext } from "./gettext.js";

/** @import { Reply } from "./post.js" */

/** @param {string} text */
export function announce(text) {
  const live = element(document, "#live");
  live.textContent = "";
  // A live region speaks when its text changes, and so also when the same thing is said twice.
  requestAnimationFrame(() => {
    live.textContent = text;
  });
}

/**
 * A word that stays until it is settled, with the one thing to do about it.
 *
 * @param {string} text
 * @param {string} label
 * @param {() => void} act
 */
export function wordShow(text, label, act) {
  const word = element(document, "#word");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = label;
  button.addEventListener("click", act);
  word.replaceChildren(text, " ", button);
  word.hidden = false;
}

export function wordHide() {
  element(document, "#word").hidden = true;
}

/**
 * Why the server did not take something, for the assessor. No answer at all is not a refusal: that is being offline.
 *
 * @param {Reply} reply
 * @returns {string}
 */
export function refusal({ status, data }) {
  if (data.message) return data.message;
  if (status === 401 || status === 403) {
    return gettext(
      "This browser is no longer signed in. Open your link again: your work is kept here, and is sent then.",
    );
  }
  if (status === 404) return gettext("This item is not yours any more. Your work is kept in this browser.");
  return gettext("The server did not take this. Your work is kept in this browser.");
}
