// On a phone texts stand one below the other: from wherever one is, a tap leads to each of them, and back to where one was reading.

import { element, elements } from "./dom.js";
import { gettext } from "./gettext.js";

const TEXTS = ".above > .pane, .member, .rating > .pane"; // what is stacked there, and scrolls with the page
const NEAR = 16; // pixels below the bar at which a text counts as the one being read

/**
 * @typedef {object} Stop
 * @property {HTMLElement} text
 * @property {HTMLButtonElement} button
 * @property {number} read how far down one has come in it, in pixels
 */

/**
 * @param {HTMLElement} root the item
 * @returns {{ stop: () => void }}
 */
export function jumpsMount(root) {
  const texts = elements(root, TEXTS).sort((one, other) => orderOf(one) - orderOf(other));
  const [desk] = elements(root, ".desk");
  if (texts.length < 2 || !desk) return { stop() {} };
  const bar = element(root, ".bar");
  const list = document.createElement("nav");
  list.className = "jumps";
  list.setAttribute("aria-label", gettext("Go to a text"));
  const stops = texts.map((text) => stopMade(text));
  list.append(...stops.map(({ button }) => button));
  desk.prepend(list);
  window.addEventListener("scroll", draw, { passive: true });
  draw();

  /**
   * @param {HTMLElement} text
   * @returns {Stop}
   */
  function stopMade(text) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button small quiet";
    button.dir = "auto";
    button.textContent = element(text, "h2").textContent;
    button.addEventListener("click", () => go(stops.find((stop) => stop.text === text)));
    return { text, button, read: 0 };
  }

  /** Where the page must be scrolled to for a text to begin below the bar. @param {HTMLElement} text */
  function beginOf(text) {
    return text.getBoundingClientRect().top + window.scrollY - bar.offsetHeight;
  }

  /** The one that began last. */
  function currentStop() {
    const begun = stops.filter(({ text }) => beginOf(text) <= window.scrollY + NEAR);
    return begun.sort((one, other) => beginOf(other.text) - beginOf(one.text))[0] ?? stops[0];
  }

  /** To where one was in a text; in the one at hand, to its beginning. @param {Stop | undefined} stop */
  function go(stop) {
    if (!stop) return;
    const isHere = stop === currentStop();
    window.scrollTo({ top: beginOf(stop.text) + (isHere ? 0 : stop.read), behavior: "instant" });
  }

  function draw() {
    const current = currentStop();
    current.read = Math.max(0, window.scrollY - beginOf(current.text));
    for (const { button } of stops) button.setAttribute("aria-current", String(button === current.button));
  }

  return { stop: () => window.removeEventListener("scroll", draw) };
}

/** A style may show texts in another order than the page has them. @param {HTMLElement} text */
function orderOf(text) {
  return Number(getComputedStyle(text).order);
}
