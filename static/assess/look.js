// How large and how wide apart the texts are set: each assessor's own, kept in this browser.

import { elements, targetOf } from "./dom.js";
import { keep, kept } from "./store.js";

/** @type {Record<string, { property: string, values: string[], usual: number }>} */
const LOOKS = {
  size: { property: "--text-reading", values: ["1rem", "1.125rem", "1.25rem", "1.5rem", "1.75rem"], usual: 1 },
  lines: { property: "--reading-line", values: ["1.4", "1.6", "1.85", "2.15"], usual: 1 },
};

/** @param {() => string} who the assessor */
export function lookMount(who) {
  /** @param {string} name */
  const stepOf = (name) => {
    const step = kept(`look.${who()}`)?.[name];
    return Number.isInteger(step) && LOOKS[name].values[step] ? step : LOOKS[name].usual;
  };

  function draw() {
    for (const [name, { property, values, usual }] of Object.entries(LOOKS)) {
      const step = stepOf(name);
      if (step === usual) document.documentElement.style.removeProperty(property);
      else document.documentElement.style.setProperty(property, values[step]);
      for (const button of elements(document, `[data-look="${name}"]`, HTMLButtonElement)) {
        button.disabled = !values[step + Number(button.dataset.by)];
      }
    }
  }

  document.addEventListener("click", (event) => {
    const button = targetOf(event).closest("[data-look]");
    if (!(button instanceof HTMLElement)) return;
    const name = button.dataset.look ?? "";
    keep(`look.${who()}`, { ...kept(`look.${who()}`), [name]: stepOf(name) + Number(button.dataset.by) });
    draw();
  });
  document.addEventListener("touchstone:swapped", draw);
  draw();
}
