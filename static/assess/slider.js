// A slider without a default: no thumb until it is touched, so that no position suggests itself.
//
// A click, a tap or a drag on the track, arrows (by one, with Shift by ten), Shift with Home and End, or a typed number set it.
// A finger that scrolls the page may come down on it, and sets nothing.
// Page Up and Down, Home and End alone scroll the text, as everywhere: reading again must not change an answer.

const SIDEWAYS = ["ArrowLeft", "ArrowRight"];
const STILL = 10; // pixels that a finger may move in a tap
const TYPED = 2000; // milliseconds after which a digit starts a new number

import { element } from "./dom.js";
import { gettext, numberWords } from "./gettext.js";

/**
 * @typedef {object} Slider
 * @property {(digit: string) => void} type a digit typed: it extends the number begun a moment ago, or begins one
 * @property {(value: number | null) => void} show another value, which somebody else has set
 * @property {() => boolean} settle Enter ends the typing of a number; whether there was one to end
 */

/**
 * @param {HTMLElement} row
 * @param {{ low: number, high: number }} range
 * @param {{ value: number | null, disabled: boolean, changed: (value: number) => void }} state
 * @returns {Slider}
 */
export function sliderMount(row, { low, high }, { value, disabled, changed }) {
  const slider = element(row, ".slider");
  const track = element(row, ".track");
  const thumb = element(row, ".thumb");
  const shown = element(row, ".slider-value");
  const unit = high - low >= 10 ? 1 : (high - low) / 100;
  /** @type {Record<string, number>} */
  const keys = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
  };
  let typed = "";
  let typedAt = 0;
  let cameDown = { x: 0, y: 0 };
  let isMeant = false; // the pointer that is down sets the value

  slider.setAttribute("aria-disabled", String(disabled));
  if (disabled) slider.tabIndex = -1;
  draw();

  slider.addEventListener("pointerdown", (event) => {
    if (disabled) return;
    slider.setPointerCapture(event.pointerId);
    cameDown = { x: event.clientX, y: event.clientY };
    // The browser says only later whether a finger, or a pen, scrolls: by taking the pointer away.
    isMeant = event.pointerType === "mouse";
    if (isMeant) fromPointer(event);
  });
  slider.addEventListener("pointermove", (event) => {
    if (!slider.hasPointerCapture(event.pointerId)) return;
    const [across, down] = moved(event);
    isMeant ||= across > STILL && across > down;
    if (isMeant) fromPointer(event);
  });
  slider.addEventListener("pointerup", (event) => {
    const isTap = slider.hasPointerCapture(event.pointerId) && moved(event).every((pixels) => pixels <= STILL);
    if (isTap && !isMeant) fromPointer(event);
  });
  slider.addEventListener("keydown", (event) => {
    if (disabled || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in keys) {
      const way = isMirrored() && SIDEWAYS.includes(event.key) ? -1 : 1;
      set((value ?? (low + high) / 2) + keys[event.key] * way * (event.shiftKey ? 10 : 1) * unit);
    } else if (event.shiftKey && event.key === "Home") set(low);
    else if (event.shiftKey && event.key === "End") set(high);
    else return;
    typed = "";
    event.preventDefault();
  });

  /** In a script that runs from right to left, so does the scale. */
  function isMirrored() {
    return getComputedStyle(slider).direction === "rtl";
  }

  /** How far the pointer has come since it came down: across, and up or down. @param {PointerEvent} event */
  function moved({ clientX, clientY }) {
    return [clientX - cameDown.x, clientY - cameDown.y].map(Math.abs);
  }

  /** @param {PointerEvent} event */
  function fromPointer(event) {
    const box = track.getBoundingClientRect();
    const along = isMirrored() ? box.right - event.clientX : event.clientX - box.left;
    set(low + (along / box.width) * (high - low));
    typed = "";
  }

  /** @param {number} wanted */
  function set(wanted) {
    const inside = Math.min(Math.max(wanted, low), high);
    const rounded = Number((Math.round((inside - low) / unit) * unit + low).toFixed(6));
    if (rounded === value) return;
    value = rounded;
    draw();
    changed(value);
  }

  function draw() {
    thumb.hidden = value === null;
    shown.textContent = value === null ? "–" : numberWords(value);
    slider.setAttribute("aria-valuetext", value === null ? gettext("not chosen yet") : numberWords(value));
    if (value === null) return;
    slider.setAttribute("aria-valuenow", String(value));
    thumb.style.insetInlineStart = `${((value - low) / (high - low)) * 100}%`;
  }

  return {
    type(digit) {
      if (disabled) return;
      const now = performance.now();
      typed = now - typedAt < TYPED && Number(typed + digit) <= high ? typed + digit : digit;
      typedAt = now;
      set(Number(typed));
    },
    show(wanted) {
      value = wanted;
      typed = "";
      draw();
    },
    settle() {
      const wasTyping = typed !== "";
      typed = "";
      return wasTyping;
    },
  };
}
