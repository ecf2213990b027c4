// Texts in which people select words: by dragging, by choosing the first and the last word (mouse or finger), or by keys.
//
// One module for all kinds that select text. It knows texts and places in them (offsets.js), draws what a kind has marked, and tells
// the kind what was selected; what a selection means is the kind's business.

import { gettext } from "./gettext.js";
import { Offsets, segments } from "./offsets.js";

/** @import { Part } from "./offsets.js" */

/**
 * @typedef {object} Mark what is drawn over a text
 * @property {string} id the kind's name for it
 * @property {Part[]} parts
 * @property {string} [look] classes
 */

/**
 * @typedef {object} Field a text on the page
 * @property {HTMLElement} element its children are this module's
 * @property {string} text as stored
 * @property {string} name what a screen reader says when it is entered
 * @property {boolean} [resting] it can be read, and not marked
 */

/**
 * @typedef {object} Options
 * @property {"word" | "letter"} snap
 * @property {(text: string) => void} announce
 * @property {(field: Field, part: Part) => void} selected words were selected
 * @property {(field: Field, id: string) => void} opened a mark was clicked
 * @property {(field: Field) => void} [entered] the focus came to a text, or a finger
 * @property {(next: string) => void} [begun] a first word was clicked, and what to do next, in words; nothing: not any more
 */

/**
 * @typedef {object} SpanTexts
 * @property {(field: Field, marks: Mark[]) => void} draw
 * @property {() => boolean} drop forget what is being selected; whether there was something
 * @property {(field: Field) => void} focus
 * @property {(field: Field) => void} begin go into a text by keyboard: its first word is selected, as after an arrow key
 * @property {() => boolean} take choose what keys have selected, as Enter does; whether there was something
 * @property {(field: Field, id: string) => HTMLElement | null} markOf where a mark begins on the page
 * @property {(field: Field, parts: Part[]) => string} wordsOf
 * @property {(field: Field) => Offsets} offsets
 */

/**
 * ``columns``: texts one below the other, between which ↑ and ↓ go; Tab goes from column to column.
 *
 * @param {Field[][]} columns
 * @param {Options} options
 * @returns {SpanTexts}
 */
export function spanTextsMount(columns, { snap, announce, selected, opened, entered, begun }) {
  /** @type {Map<Field, Offsets>} */
  const places = new Map();
  /** @type {Map<Field, Mark[]>} */
  const drawn = new Map();
  /** @type {Map<Element, Field>} */
  const fields = new Map();
  /** What is being selected: from the anchor to the head, both included. @type {{ field: Field, anchor: Part, head: Part, byKeys: boolean } | null} */
  let cursor = null;
  /** @type {{ field: Field, x: number, y: number } | null} */
  let pressed = null; // where a mouse button went down
  let wasDragged = false;

  for (const column of columns) {
    for (const [index, field] of column.entries()) {
      places.set(field, new Offsets(field.text));
      fields.set(field.element, field);
      const { element } = field;
      element.classList.add("span-text");
      draw(field, []);
      if (field.resting) continue;
      element.setAttribute("role", "textbox");
      element.setAttribute("aria-readonly", "true");
      element.setAttribute("aria-multiline", "true");
      element.setAttribute("aria-label", field.name);
      element.tabIndex = index === column.findIndex((each) => !each.resting) ? 0 : -1;
      element.addEventListener("focus", () => enter(field, column));
      element.addEventListener("keydown", (event) => keyed(event, field, column));
      element.addEventListener("pointerdown", (event) => {
        const isMouse = event.pointerType === "mouse" && event.button === 0;
        pressed = isMouse ? { field, x: event.clientX, y: event.clientY } : null;
        wasDragged = false;
      });
      element.addEventListener("click", (event) => clicked(event, field));
    }
  }
  const controller = new AbortController();
  document.addEventListener(
    "pointerup",
    (event) => {
      // The page may have gone on to the next item.
      if (!columns[0]?.[0]?.element.isConnected) return controller.abort();
      if (pressed) dragged(pressed, event);
      pressed = null;
    },
    { signal: controller.signal },
  );

  /** @param {Field} field */
  function offsets(field) {
    return /** @type {Offsets} */ (places.get(field));
  }

  /**
   * @param {Field} field
   * @param {Field[]} column
   */
  function enter(field, column) {
    for (const each of column) {
      if (!each.resting) each.element.tabIndex = each === field ? 0 : -1;
    }
    entered?.(field);
  }

  // --- mouse and finger -------------------------------------------------------------------------------------------

  /**
   * The pointer went from one character to another: both are meant, as with two clicks. Without that, as in a double click or where
   * it ended beside the text, what the browser has selected is.
   *
   * @param {{ field: Field, x: number, y: number }} from
   * @param {PointerEvent} to
   */
  function dragged({ field, x, y }, to) {
    const place = offsets(field);
    const selection = window.getSelection();
    const first = pointAt(field, x, y);
    const last = pointAt(field, to.clientX, to.clientY);
    /** @type {Part | null} */
    let part = null;
    if (first !== null && last !== null && first !== last) part = [Math.min(first, last), Math.max(first, last) + 1];
    else if (selection?.rangeCount && !selection.isCollapsed) part = selectedIn(field, selection.getRangeAt(0));
    if (!part) return;
    selection?.removeAllRanges();
    wasDragged = true;
    const meant = place.snapped(part, snap);
    if (meant) choose(field, meant);
  }

  /**
   * The part of a text that the browser has selected.
   *
   * @param {Field} field
   * @param {Range} range
   * @returns {Part | null}
   */
  function selectedIn(field, range) {
    if (!range.intersectsNode(field.element)) return null;
    const whole = document.createRange();
    whole.selectNodeContents(field.element);
    if (range.compareBoundaryPoints(Range.START_TO_START, whole) > 0)
      whole.setStart(range.startContainer, range.startOffset);
    if (range.compareBoundaryPoints(Range.END_TO_END, whole) < 0) whole.setEnd(range.endContainer, range.endOffset);
    const before = document.createRange();
    before.selectNodeContents(field.element);
    before.setEnd(whole.startContainer, whole.startOffset);
    const start = before.toString().length;
    const place = offsets(field);
    return [place.point(start), place.point(start + whole.toString().length)];
  }

  /**
   * @param {MouseEvent} event
   * @param {Field} field
   */
  function clicked(event, field) {
    if (wasDragged) {
      wasDragged = false;
      return;
    }
    const point = pointAt(field, event.clientX, event.clientY);
    if (point === null) {
      drop();
      return;
    }
    const pending = cursor?.field === field && !cursor.byKeys ? cursor : null;
    const mark = shortest(field, point);
    if (!pending && mark) {
      drop();
      opened(field, mark.id);
      return;
    }
    const word = offsets(field).snapped([point, point + 1], snap);
    if (!word) return;
    if (pending) {
      choose(field, [Math.min(pending.anchor[0], word[0]), Math.max(pending.anchor[1], word[1])]);
      return;
    }
    drop();
    cursor = { field, anchor: word, head: word, byKeys: false };
    redraw(field);
    const next = gettext("From “{word}”: choose the last word.", { word: offsets(field).slice(word) });
    announce(next);
    begun?.(next);
  }

  /**
   * The code point under the pointer; null beside the text.
   *
   * @param {Field} field
   * @param {number} x
   * @param {number} y
   */
  function pointAt(field, x, y) {
    const caret = caretAt(x, y);
    if (!caret || !field.element.contains(caret.node)) return null;
    const before = document.createRange();
    before.selectNodeContents(field.element);
    before.setEnd(caret.node, caret.offset);
    const place = offsets(field);
    const at = place.point(before.toString().length);
    // A caret stands between two characters; the pointer is on one of them.
    const near = [at, at - 1].filter((point) => point >= 0 && point < place.length);
    return near.find((point) => boxes(field, place.grown([point, point + 1])).some(isUnder)) ?? null;

    /** @param {DOMRect} box */
    function isUnder(box) {
      return x >= box.left - 1 && x <= box.right + 1 && y >= box.top - 1 && y <= box.bottom + 1;
    }
  }

  /**
   * @param {Field} field
   * @param {Part} part
   */
  function boxes(field, [start, end]) {
    const place = offsets(field);
    const range = document.createRange();
    const from = nodeAt(field.element, place.utf16(start), false);
    const to = nodeAt(field.element, place.utf16(end), true);
    if (!from || !to) return [];
    range.setStart(from.node, from.offset);
    range.setEnd(to.node, to.offset);
    return [...range.getClientRects()];
  }

  // --- keys -------------------------------------------------------------------------------------------------------

  /**
   * @param {KeyboardEvent} event
   * @param {Field} field
   * @param {Field[]} column
   */
  function keyed(event, field, column) {
    if (event.ctrlKey || event.metaKey || event.isComposing) return;
    const { key } = event;
    const own = cursor?.field === field ? cursor : null;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const isRtl = getComputedStyle(field.element).direction === "rtl";
      step(field, (key === "ArrowRight") === isRtl ? -1 : 1, { grows: event.shiftKey, letters: event.altKey });
    } else if ((key === "Home" || key === "End") && !event.altKey) {
      const words = offsets(field).words();
      moveTo(field, words[key === "Home" ? 0 : words.length - 1], event.shiftKey);
    } else if ((key === "ArrowUp" || key === "ArrowDown") && !event.altKey && !event.shiftKey) {
      walk(field, column, key === "ArrowUp" ? -1 : 1);
    } else if (key === "Enter" && own) {
      choose(field, spanned(own));
    } else if (key === "Escape" && own) {
      drop();
      announce(gettext("Dropped."));
    } else return;
    event.preventDefault();
  }

  /**
   * @param {Field} field
   * @param {1 | -1} by
   * @param {{ grows: boolean, letters: boolean }} how
   */
  function step(field, by, { grows, letters }) {
    const place = offsets(field);
    const stops = letters ? place.letters() : place.words();
    const own = cursor?.field === field ? cursor : null;
    if (!stops.length) return;
    if (!own) return moveTo(field, stops[0], false);
    const { head } = own;
    const next =
      by > 0
        ? stops.find(([start]) => start >= (letters && !grows ? head[0] + 1 : head[1]))
        : stops.findLast(([, end]) => end <= head[0]);
    // Growing back over what was grown shrinks it.
    moveTo(field, next ?? head, grows);
  }

  /**
   * @param {Field} field
   * @param {Part | undefined} part
   * @param {boolean} grows
   */
  function moveTo(field, part, grows) {
    if (!part) return;
    const own = cursor?.field === field ? cursor : null;
    const anchor = grows && own ? own.anchor : part;
    const other = cursor && cursor.field !== field ? cursor.field : null;
    cursor = { field, anchor, head: part, byKeys: true };
    if (other) redraw(other);
    redraw(field);
    field.element.querySelector(".selecting")?.scrollIntoView({ block: "nearest" });
    announce(offsets(field).slice(spanned(cursor)));
  }

  /**
   * @param {Field} field
   * @param {Field[]} column
   * @param {1 | -1} by
   */
  function walk(field, column, by) {
    const open = column.filter(({ element, resting }) => !resting && element.offsetParent !== null);
    const next = open[open.indexOf(field) + by];
    if (!next) return;
    drop();
    begin(next);
  }

  // --- what is selected -------------------------------------------------------------------------------------------

  /** @param {{ anchor: Part, head: Part }} cursor @returns {Part} */
  function spanned({ anchor, head }) {
    return [Math.min(anchor[0], head[0]), Math.max(anchor[1], head[1])];
  }

  /**
   * @param {Field} field
   * @param {Part} part
   */
  function choose(field, part) {
    drop();
    focus(field);
    selected(field, offsets(field).grown(part));
  }

  /** @param {Field} field */
  function begin(field) {
    focus(field);
    moveTo(field, offsets(field).words()[0], false);
  }

  function take() {
    if (!cursor?.byKeys) return false;
    choose(cursor.field, spanned(cursor));
    return true;
  }

  function drop() {
    if (!cursor) return false;
    const { field, byKeys } = cursor;
    cursor = null;
    redraw(field);
    if (!byKeys) begun?.("");
    return true;
  }

  /** @param {Field} field */
  function focus(field) {
    field.element.focus({ preventScroll: true });
    const box = field.element.getBoundingClientRect();
    if (box.top < 0 || box.bottom > window.innerHeight) field.element.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {Field} field
   * @param {number} point
   */
  function shortest(field, point) {
    const over = (drawn.get(field) ?? []).filter(({ parts }) =>
      parts.some(([start, end]) => start <= point && point < end),
    );
    const size = (/** @type {Mark} */ { parts }) => parts.reduce((sum, [start, end]) => sum + end - start, 0);
    return over.sort((a, b) => size(a) - size(b))[0] ?? null;
  }

  // --- drawing ----------------------------------------------------------------------------------------------------

  /** @param {Field} field */
  function redraw(field) {
    draw(field, drawn.get(field) ?? []);
  }

  /**
   * @param {Field} field
   * @param {Mark[]} marks
   */
  function draw(field, marks) {
    drawn.set(field, marks);
    const place = offsets(field);
    const all = [...marks];
    if (cursor?.field === field) all.push({ id: "", parts: [spanned(cursor)], look: "selecting" });
    const nodes = segments(place.length, all).map(({ start, end, marks: over }) => {
      const text = place.slice([start, end]);
      if (!over.length) return document.createTextNode(text);
      const mark = document.createElement("mark");
      const looks = new Set(over.flatMap(({ look }) => (look ?? "").split(" ").filter(Boolean)));
      if (over.filter(({ id }) => id).length > 1) looks.add("deep");
      mark.className = [...looks].join(" ");
      mark.dataset.marks = over.map(({ id }) => id).join(" ");
      mark.textContent = text;
      return mark;
    });
    field.element.replaceChildren(...nodes);
  }

  return {
    draw,
    drop,
    focus,
    begin,
    take,
    markOf: (field, id) =>
      [...field.element.querySelectorAll("mark")].find(({ dataset }) => dataset.marks?.split(" ").includes(id)) ?? null,
    wordsOf: (field, parts) => parts.map((part) => offsets(field).slice(part)).join(" … "),
    offsets,
  };
}

/**
 * Where a caret would be put by a click: browsers spell it in two ways.
 *
 * @param {number} x
 * @param {number} y
 * @returns {{ node: Node, offset: number } | null}
 */
function caretAt(x, y) {
  if (document.caretPositionFromPoint) {
    const found = document.caretPositionFromPoint(x, y);
    return found && { node: found.offsetNode, offset: found.offset };
  }
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}

/**
 * The text node at a place, counted in UTF-16; at a border the end of the one before, if ``ends``.
 *
 * @param {HTMLElement} root
 * @param {number} at
 * @param {boolean} ends
 */
function nodeAt(root, at, ends) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let left = at;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const length = (node.nodeValue ?? "").length;
    if (left < length || (ends && left === length)) return { node, offset: left };
    left -= length;
  }
  return null;
}
