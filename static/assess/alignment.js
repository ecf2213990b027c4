// Two texts side by side: questions on one of them are asked one after the other, and units of the other are marked for each.

import { element, elements, targetOf } from "./dom.js";
import { gettext, ngettext } from "./gettext.js";
import { letter, Typed } from "./letters.js";

/** @import { Page } from "../../annotation/tasks/page" */

/**
 * What a kind says of its steps.
 *
 * @template Step
 * @typedef {object} Asking
 * @property {(step: Step) => string} problem what keeps a step from being done, in the words of the server
 * @property {(step: Step) => string} place
 * @property {(step: Step) => HTMLElement | undefined} row that stands for it
 * @property {() => void} render
 */

/**
 * Questions that are asked one at a time, in the same place with the same keys.
 *
 * @template Step
 */
export class Steps {
  said = ""; // what is missing, once the assessor has tried to go on

  /**
   * @param {HTMLElement} root
   * @param {Step[]} all
   * @param {Page} page
   * @param {Asking<Step>} asking
   */
  constructor(root, all, page, asking) {
    this.root = root;
    this.all = all;
    this.page = page;
    this.asking = asking;
    this.current = Math.max(
      0,
      all.findIndex((step) => asking.problem(step)),
    );
    for (const button of elements(root, "[data-move]")) {
      button.addEventListener("click", () => this.move(Number(button.dataset.move)));
    }
    element(root, "[data-primary]").addEventListener("click", () => this.next());
    element(root, "[data-fold]").addEventListener("click", () =>
      this.#fold(!element(root, ".model").classList.contains("open")),
    );
  }

  get step() {
    return this.all[this.current];
  }

  /** The next step with something to do: after this one, else from the beginning; -1 if all is done. */
  following() {
    const { problem } = this.asking;
    const later = this.all.findIndex((step, index) => index > this.current && problem(step));
    return later >= 0 ? later : this.all.findIndex((step) => problem(step));
  }

  /** @param {number} index */
  go(index) {
    const { row, render, place } = this.asking;
    if (!this.all[index]) return;
    const hadFocus = this.all.some((step) => row(step) === document.activeElement);
    this.current = index;
    this.said = "";
    this.#fold(false);
    render();
    const here = row(this.step);
    if (hadFocus) here?.focus({ preventScroll: true });
    (here?.parentElement ?? here)?.scrollIntoView({ block: "nearest" });
    this.page.announce(place(this.step));
  }

  /** @param {number} by */
  move(by) {
    this.go(Math.min(Math.max(this.current + by, 0), this.all.length - 1));
  }

  /** On to the next open step, or submit when there is none. */
  next() {
    this.said = this.step ? this.asking.problem(this.step) : "";
    if (this.said) {
      this.page.announce(this.said);
      return this.asking.render();
    }
    const following = this.following();
    if (following >= 0) this.go(following);
    else this.page.submit();
  }

  /** Something was answered. */
  changed() {
    this.said = "";
    this.asking.render();
    this.page.changed();
  }

  /**
   * Go to what the server misses, and say it there.
   *
   * @param {number} index
   * @param {string} message
   */
  show(index, message) {
    if (index >= 0) this.go(index);
    this.said = message;
    this.asking.render();
    this.asking.row(this.step)?.focus();
  }

  /**
   * The question, and how far one is.
   *
   * @param {string} question
   * @param {string} hint
   */
  draw(question, hint) {
    const one = (/** @type {string} */ selector) => element(this.root, selector);
    one("#question").textContent = question;
    one("#hint").textContent = this.said || hint || "\u00a0";
    one("#hint").classList.toggle("problem", Boolean(this.said));
    const done = this.all.filter((step) => !this.asking.problem(step)).length;
    const total = this.all.length;
    one("[data-label]").textContent = done === total ? this.page.submitWord : gettext("Next");
    element(this.root, '[data-move="-1"]', HTMLButtonElement).disabled = this.current === 0;
    element(this.root, '[data-move="1"]', HTMLButtonElement).disabled = this.current === total - 1;
    const place = this.asking.place(this.step);
    one("[data-unit-place]").textContent = place + (done ? ` · ${ngettext("{n} done", "{n} done", done)}` : "");
    one("[data-fold]").textContent = gettext("{number} of {total}, {done} done", {
      number: this.current + 1,
      total,
      done,
    });
  }

  /** @param {boolean} isOpen */
  #fold(isOpen) {
    element(this.root, ".model").classList.toggle("open", isOpen);
    element(this.root, "[data-fold]").setAttribute("aria-expanded", String(isOpen));
  }
}

/**
 * A row that stands for a question, or for several: whether it is asked now, whether it is done, and what was said.
 *
 * @param {HTMLElement} row
 * @param {{ isCurrent: boolean, isDone: boolean, isMirrored: boolean, said: string }} state
 */
export function rowDraw(row, { isCurrent, isDone, isMirrored, said }) {
  row.tabIndex = isCurrent ? 0 : -1;
  row.classList.toggle("done", isDone);
  if (isCurrent) row.setAttribute("aria-current", "step");
  else row.removeAttribute("aria-current");
  element(row, ".state").textContent = isCurrent ? (isMirrored ? "◀" : "▶") : isDone ? "✓" : "·";
  element(row, ".grade").textContent = said;
}

/** Units that are marked, by pointer, by letter, or with the cursor. */
export class Units {
  /**
   * @param {HTMLElement} root
   * @param {HTMLElement[]} all
   * @param {{ toggle: (unit: number) => void, go: (partner: number) => void }} acts
   */
  constructor(root, all, { toggle, go }) {
    this.root = root;
    this.all = all;
    this.toggle = toggle;
    this.typed = new Typed(all.length);
    for (const [u, unit] of all.entries()) {
      unit.tabIndex = u === 0 ? 0 : -1;
      element(unit, ".key").textContent = letter(u);
      unit.addEventListener("click", (event) => {
        const partner = targetOf(event).closest("[data-partner]");
        if (partner instanceof HTMLElement) go(Number(partner.dataset.partner));
        else if (!isSelecting(root)) toggle(u);
      });
    }
  }

  /** The unit that an event happened to, if it is where the keyboard is. @param {KeyboardEvent} event */
  focused(event) {
    const unit = this.all.findIndex((each) => each.contains(targetOf(event)));
    return unit >= 0 && this.all[unit].matches(":focus-visible") ? unit : -1;
  }

  /** @param {number} u */
  cursorTo(u) {
    for (const [index, unit] of this.all.entries()) unit.tabIndex = index === u ? 0 : -1;
    this.all[u]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} by */
  cursor(by) {
    const at = this.all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = at < 0 ? this.all.findIndex((unit) => unit.tabIndex === 0) : at + by;
    const u = Math.min(Math.max(to, 0), this.all.length - 1);
    this.cursorTo(u);
    this.all[u]?.focus({ preventScroll: true });
  }

  /**
   * A letter was typed: the unit that it names is marked, and shows where it is. Whether it names or begins to name one.
   *
   * @param {string} name
   * @param {boolean} isShifted
   */
  letterTyped(name, isShifted) {
    const u = this.typed.unit(name, isShifted);
    if (u !== null && u >= 0) {
      this.toggle(u);
      this.all[u].scrollIntoView({ block: "nearest" });
      for (const unit of this.all) unit.classList.remove("lit");
      void this.all[u].offsetWidth; // begins the glow anew
      this.all[u].classList.add("lit");
    }
    return u === null || u >= 0;
  }

  /** The first letter of a name of two, while it waits for the second. */
  get begun() {
    return this.typed.prefix && `${this.typed.prefix}…`;
  }

  /**
   * @param {number} u
   * @param {boolean} isMarked
   * @param {number[]} partners rows for which it is marked too
   * @param {boolean} isMirrored
   */
  draw(u, isMarked, partners, isMirrored) {
    this.all[u].setAttribute("aria-pressed", String(isMarked));
    const arrow = isMirrored ? "← " : "→ ";
    const links = partners.flatMap((index, n) => [n ? ", " : arrow, partnerLink(index)]);
    const held = element(this.all[u], ".elsewhere");
    if (held.textContent !== links.map((link) => (typeof link === "string" ? link : link.textContent)).join("")) {
      held.replaceChildren(...links);
    }
  }
}

/** @param {number} index of a row */
function partnerLink(index) {
  const link = document.createElement("span");
  link.dataset.partner = String(index);
  link.textContent = String(index + 1);
  return link;
}

/**
 * Whether words of the page are selected: a text that is dragged over is being copied, and not marked.
 *
 * @param {HTMLElement} root
 */
export function isSelecting(root) {
  const selection = window.getSelection();
  return Boolean(selection && !selection.isCollapsed && root.contains(selection.anchorNode));
}

/**
 * What is said to a screen reader of a mark.
 *
 * @param {number} unit
 * @param {boolean} isMarked
 */
export function markSaid(unit, isMarked) {
  const name = { unit: letter(unit) };
  return isMarked ? gettext("{unit} marked", name) : gettext("{unit} not marked", name);
}
