// After 50 active minutes without a break, a gentle word.

import { element } from "./dom.js";

const ENOUGH = 50 * 60; // seconds
const NAME = "touchstone.worked";

/**
 * @typedef {object} Rest
 * @property {(seconds: number) => void} add what was worked since the last time; offers a break when it is enough
 */

/** @returns {Rest} */
export function restMount() {
  const panel = element(document, "#rest");

  function worked() {
    try {
      return Number(sessionStorage.getItem(NAME)) || 0;
    } catch {
      return 0; // without storage nobody is told; nothing else depends on it
    }
  }

  /** @param {number} seconds */
  function set(seconds) {
    try {
      sessionStorage.setItem(NAME, String(seconds));
    } catch {
      // as above
    }
    panel.hidden = seconds < ENOUGH;
  }

  element(panel, "[data-not-now]").addEventListener("click", () => set(0));
  element(panel, "[data-open=break]").addEventListener("click", () => set(0));
  element(document, "#break").addEventListener("close", () => set(0));
  return { add: (seconds) => set(worked() + seconds) };
}
