// Long texts by keyboard: Space, Page Up and Page Down, Home and End scroll the text under judgment wherever the focus is,
// and each text says where one is in it.

import { elements } from "./dom.js";
import { gettext } from "./gettext.js";

const TEXTS = ".pane, .set"; // what may scroll on its own
const JUDGED = ".pane.text, .pane.peer, .set"; // of these, what is judged comes first
const STEP = 0.85; // of what is visible: a few lines stay in view, to read on from
const LINE = 4; // pixels that a rounded height may differ by

/**
 * @typedef {object} Reading
 * @property {(key: string, event: KeyboardEvent) => string | null} scroll
 *   act on a key; where one is now, in words, or null if it is no key for this
 * @property {() => void} stop
 */

/** @type {Record<string, (page: number, end: number) => ScrollToOptions>} */
const MOVES = {
  " ": (page) => ({ top: page }),
  PageDown: (page) => ({ top: page }),
  PageUp: (page) => ({ top: -page }),
  Home: (_, end) => ({ top: -end }),
  End: (_, end) => ({ top: end }),
};

/**
 * @param {HTMLElement} root the item
 * @returns {Reading}
 */
export function readingMount(root) {
  const panes = elements(root, TEXTS);
  /** @type {HTMLElement | null} */
  let recent = null; // the text that the assessor has touched last
  const watched = new ResizeObserver(() => draw());
  const line = root.querySelector(".bar .read-line");

  for (const pane of panes) {
    if (pane.matches(".pane")) {
      const where = document.createElement("p");
      where.className = "where number";
      where.setAttribute("aria-hidden", "true"); // keys that scroll say it; with a mouse it is seen
      pane.prepend(where);
    }
    for (const kind of ["focusin", "pointerdown", "wheel"]) {
      pane.addEventListener(kind, () => note(pane), { passive: true });
    }
    pane.addEventListener("scroll", () => placeDraw(pane), { passive: true });
    watched.observe(pane);
    for (const child of pane.children) if (!child.matches(".where")) watched.observe(child);
  }
  watched.observe(root);
  window.addEventListener("scroll", lineDraw, { passive: true });

  /** @param {HTMLElement} pane */
  function note(pane) {
    recent = pane;
  }

  /** The text that keys scroll: the one with the focus, the one touched last, the one under judgment, any other. */
  function target() {
    const inFocus = document.activeElement?.closest(TEXTS);
    const judged = elements(root, JUDGED);
    const order = [inFocus, recent, ...judged, ...panes];
    return order.find((pane) => pane instanceof HTMLElement && pane.isConnected && scrolls(pane)) ?? page();
  }

  function draw() {
    for (const pane of panes) {
      // A text that does not scroll is no stop on the way of the Tab key.
      pane.tabIndex = scrolls(pane) ? 0 : -1;
      placeDraw(pane);
    }
    lineDraw();
  }

  /** @param {HTMLElement} pane */
  function placeDraw(pane) {
    for (const where of elements(pane, ":scope > .where")) where.textContent = scrolls(pane) ? placeIn(pane) : "";
  }

  function lineDraw() {
    if (!(line instanceof HTMLElement)) return;
    const room = page().scrollHeight - page().clientHeight;
    line.hidden = room < page().clientHeight; // a page and more
    line.style.inlineSize = `${room > 0 ? Math.min(100, (page().scrollTop / room) * 100) : 0}%`;
  }

  draw();
  return {
    scroll(key, event) {
      const move = MOVES[key];
      if (!move) return null;
      const text = /** @type {HTMLElement} */ (target());
      const isPage = text === page();
      const step = Math.round(text.clientHeight * (isPage ? STEP - 0.2 : STEP)); // bars cover a part of a page
      const by = move(step, text.scrollHeight);
      const sign = key === " " && event.shiftKey ? -1 : 1;
      text.scrollBy({ top: (by.top ?? 0) * sign, behavior: "instant" });
      return scrolls(text) || isPage ? placeIn(text) : "";
    },
    stop() {
      watched.disconnect();
      window.removeEventListener("scroll", lineDraw);
    },
  };
}

/**
 * How many words of the texts are on the screen now; of scripts without spaces, two signs count as a word.
 *
 * @param {HTMLElement} root
 */
export function wordsOnScreen(root) {
  let words = 0;
  for (const text of elements(root, ":is(.pane, .set) :is(.reading, .unit-text)")) {
    const clip = text.closest(TEXTS)?.getBoundingClientRect();
    const box = text.getBoundingClientRect();
    if (!clip || !box.height) continue;
    const top = Math.max(box.top, clip.top, 0);
    const bottom = Math.min(box.bottom, clip.bottom, window.innerHeight);
    words += (wordsIn(text.textContent ?? "") * Math.max(0, bottom - top)) / box.height;
  }
  return Math.round(words);
}

/** @param {string} text */
export function wordsIn(text) {
  const unspaced = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu)?.length ?? 0;
  return text.split(/\s+/u).filter(Boolean).length + Math.round(unspaced / 2);
}

function page() {
  return document.scrollingElement ?? document.documentElement;
}

/** @param {Element} pane */
function scrolls(pane) {
  const { overflowY } = getComputedStyle(pane);
  return (overflowY === "auto" || overflowY === "scroll") && pane.scrollHeight > pane.clientHeight + LINE;
}

/**
 * @param {Element} pane
 * @returns {string}
 */
export function placeIn(pane) {
  const { scrollTop, scrollHeight, clientHeight } = pane;
  const total = Math.max(1, Math.ceil((scrollHeight - LINE) / clientHeight));
  const isEnd = scrollTop + clientHeight >= scrollHeight - LINE;
  const at = isEnd ? total : Math.min(total, Math.floor((scrollTop + LINE) / clientHeight) + 1);
  return gettext("page {at} of {total}", { at, total });
}
