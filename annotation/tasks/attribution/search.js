// A search in the source: units that have the words are tinted, Enter goes from one to the next, Escape to the unit itself.

import { element } from "../../assess/dom.js";
import { gettext } from "../../assess/gettext.js";

/** @import { Page } from "../page" */

export class Search {
  /** @type {number[]} */
  #hits = [];
  #at = -1;

  /**
   * @param {HTMLElement} root
   * @param {HTMLElement[]} units
   * @param {Page} page
   * @param {(unit: number) => void} cursorTo
   */
  constructor(root, units, page, cursorTo) {
    this.units = units;
    this.input = element(root, "[data-find]", HTMLInputElement);
    this.output = element(root, "[data-found]");
    this.input.addEventListener("input", () => {
      this.#search();
      if (this.#hits.length) cursorTo(this.#hits[0]);
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) {
        const unit = this.units[this.#hits[this.#at]];
        this.input.value = "";
        this.#search();
        if (unit) unit.focus();
        else this.input.blur();
      } else if (event.key === "Enter" && this.#hits.length && !event.isComposing) {
        event.preventDefault();
        this.#at = (this.#at + (event.shiftKey ? -1 : 1) + this.#hits.length) % this.#hits.length;
        this.#draw();
        cursorTo(this.#hits[this.#at]);
        page.announce(this.units[this.#hits[this.#at]].textContent?.trim() ?? "");
      }
    });
  }

  begin() {
    this.input.focus();
    this.input.select();
  }

  #search() {
    const wanted = this.input.value.trim().toLocaleLowerCase();
    this.#hits = wanted
      ? this.units.flatMap((unit, index) =>
          element(unit, ".unit-text").textContent?.toLocaleLowerCase().includes(wanted) ? [index] : [],
        )
      : [];
    this.#at = this.#hits.length ? 0 : -1;
    this.output.textContent = wanted ? gettext("{all} found", { all: this.#hits.length }) : "";
    this.#draw();
  }

  #draw() {
    for (const [index, unit] of this.units.entries()) {
      unit.classList.toggle("found", this.#hits.includes(index));
      unit.classList.toggle("found-now", this.#hits[this.#at] === index);
    }
  }
}
