// Reading aids, off unless the study asks for them because they may bias: words shared with the current unit, texts that scroll
// together, and a highlighter of one's own. All are drawn over the texts, which stay as they are.

import { element, elements, langOf } from "./dom.js";
import { gettext } from "./gettext.js";
import { keep, kept } from "./store.js";

const TEXTS = ".pane :is(.reading, .unit-text), .set .reading";
const TOO_COMMON = 3; // letters: shorter words are in every text; of scripts without spaces, words are short
const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** @typedef {{ stop: () => void }} Aids */

/**
 * @param {HTMLElement} root the item
 * @param {string} address of the item, under which its highlights are kept
 * @returns {Aids}
 */
export function aidsMount(root, address) {
  const wanted = (root.dataset.aids ?? "").split(" ");
  /** @type {(() => void)[]} */
  const stops = [];
  if (wanted.includes("shared_words")) stops.push(sharedMount(root));
  if (wanted.includes("scroll_together")) stops.push(scrollMount(root));
  if (wanted.includes("highlighter")) stops.push(highlighterMount(root, address));
  return {
    stop() {
      for (const stop of stops) stop();
    },
  };
}

// --- words shared with the current unit ---------------------------------------------------------------------------

/**
 * Where the words of a text stand, longer ones only, in small letters.
 *
 * @param {string} text
 * @param {string} [language]
 */
export function wordPlaces(text, language) {
  const words = [...new Intl.Segmenter(language || undefined, { granularity: "word" }).segment(text)];
  return words
    .filter(({ isWordLike, segment }) => isWordLike && (segment.length > TOO_COMMON || NO_SPACES.test(segment)))
    .map(({ segment, index }) => ({ word: segment.toLocaleLowerCase(language || undefined), index }));
}

/** @param {HTMLElement} root */
function sharedMount(root) {
  const watched = new MutationObserver(draw);
  watched.observe(root, { subtree: true, attributeFilter: ["aria-current"] });

  function draw() {
    const current = root.querySelector("[aria-current] .unit-text");
    const pane = current?.closest(".pane");
    const words = new Set(wordPlaces(current?.textContent ?? "", langOf(current)).map(({ word }) => word));
    const others = elements(root, TEXTS).filter((text) => text.closest(".pane") !== pane);
    paint(
      "shared",
      others.flatMap((text) =>
        wordPlaces(text.textContent ?? "", langOf(text))
          .filter(({ word }) => words.has(word))
          .flatMap(({ word, index }) => rangeOf(text, index, index + word.length) ?? []),
      ),
    );
  }

  draw();
  return () => {
    watched.disconnect();
    paint("shared", []);
  };
}

// --- texts that scroll together -----------------------------------------------------------------------------------

/** @param {HTMLElement} root */
function scrollMount(root) {
  const panes = elements(root, ".pane");
  /** @type {HTMLElement | null} */
  let leader = null; // who is scrolled by hand; the others follow, and their scrolling leads nobody
  const ending = new AbortController();
  const anybody = () => {
    leader = null; // a key scrolls the text that it means
  };
  document.addEventListener("keydown", anybody, { capture: true, signal: ending.signal });
  for (const pane of panes) {
    for (const kind of ["wheel", "pointerdown", "touchstart", "focusin"]) {
      const lead = () => {
        leader = pane;
      };
      pane.addEventListener(kind, lead, { passive: true, signal: ending.signal });
    }
    pane.addEventListener("scroll", () => follow(pane), { passive: true, signal: ending.signal });
  }

  /** @param {HTMLElement} pane */
  function follow(pane) {
    leader ??= pane;
    if (pane !== leader) return;
    const room = pane.scrollHeight - pane.clientHeight;
    if (room <= 0) return;
    for (const other of panes) {
      if (other !== pane) other.scrollTop = (pane.scrollTop / room) * (other.scrollHeight - other.clientHeight);
    }
  }

  return () => ending.abort();
}

// --- a highlighter of one's own -----------------------------------------------------------------------------------

/** @typedef {[text: number, start: number, end: number]} Stroke */

/**
 * Select words and press the button, or Alt+H; the same over a stroke takes it away. Strokes stay in this browser.
 *
 * @param {HTMLElement} root
 * @param {string} address
 */
function highlighterMount(root, address) {
  const texts = elements(root, TEXTS);
  const name = `highlights.${address}`;
  /** @type {Stroke[]} */
  let strokes = kept(name) ?? [];
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small highlighter";
  button.hidden = true;
  element(root, "#main").append(button);
  const ending = new AbortController();
  document.addEventListener("selectionchange", offer, { signal: ending.signal });
  button.addEventListener("pointerdown", (event) => event.preventDefault()); // the selection stays
  button.addEventListener("click", act);
  document.addEventListener(
    "keydown",
    (event) => {
      if (!event.altKey || event.code !== "KeyH" || !selected()) return;
      event.preventDefault();
      act();
    },
    { signal: ending.signal },
  );

  /** @returns {Stroke | null} what is selected, if it is within one text */
  function selected() {
    const selection = window.getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    const at = texts.findIndex((text) => text.contains(range.startContainer) && text.contains(range.endContainer));
    if (at < 0) return null;
    const before = range.cloneRange();
    before.setStart(texts[at], 0);
    before.setEnd(range.startContainer, range.startOffset);
    const start = before.toString().length;
    return [at, start, start + range.toString().length];
  }

  /** @param {Stroke} wanted */
  function under([text, start, end]) {
    return strokes.filter((stroke) => stroke[0] === text && stroke[1] < end && start < stroke[2]);
  }

  function offer() {
    const wanted = selected();
    button.hidden = !wanted;
    if (!wanted) return;
    button.textContent = under(wanted).length ? gettext("Remove the highlight") : gettext("Highlight");
    const box = window.getSelection()?.getRangeAt(0).getBoundingClientRect();
    if (!box) return;
    button.style.top = `${Math.max(8, box.top - 40)}px`;
    button.style.left = `${Math.min(Math.max(8, box.left), window.innerWidth - 180)}px`;
  }

  function act() {
    const wanted = selected();
    if (!wanted) return;
    const covered = under(wanted);
    strokes = covered.length ? strokes.filter((stroke) => !covered.includes(stroke)) : [...strokes, wanted];
    keep(name, strokes);
    window.getSelection()?.removeAllRanges();
    draw();
  }

  function draw() {
    paint(
      "own",
      strokes.flatMap(([text, start, end]) => (texts[text] && rangeOf(texts[text], start, end)) ?? []),
    );
  }

  draw();
  return () => {
    ending.abort();
    paint("own", []);
  };
}

// --- painting -----------------------------------------------------------------------------------------------------

/**
 * The stretch of a text from one sign to another, whatever elements are in it.
 *
 * @param {Element} text
 * @param {number} start
 * @param {number} end
 * @returns {Range | null}
 */
export function rangeOf(text, start, end) {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let passed = 0;
  let hasStart = false;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (!hasStart && start < passed + length) {
      range.setStart(node, start - passed);
      hasStart = true;
    }
    if (hasStart && end <= passed + length) {
      range.setEnd(node, end - passed);
      return range;
    }
    passed += length;
  }
  return null;
}

/**
 * Paint over texts without touching them. A browser that cannot do it shows the texts plain.
 *
 * @param {string} name
 * @param {Range[]} ranges
 */
function paint(name, ranges) {
  if (typeof Highlight === "undefined") return;
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}
