// The strip above a preview: from item to item. The page's address says which item is shown, also after a submit.
(() => {
  "use strict";
  const strip = /** @type {HTMLElement} */ (document.querySelector(".preview-strip"));
  const shown = /** @type {HTMLElement} */ (strip.querySelector("[data-place]"));
  const buttons = Array.from(/** @type {NodeListOf<HTMLButtonElement>} */ (strip.querySelectorAll("[data-step]")));
  const place = () => Number(location.pathname.match(/(\d+)\/$/)?.[1]);
  const target = (/** @type {HTMLElement} */ button) => place() + Number(button.dataset.step);
  const exists = (/** @type {number} */ number) => number >= 1 && number <= Number(strip.dataset.total);

  function update() {
    shown.textContent = `Item ${place()} of ${strip.dataset.total}`;
    for (const button of buttons) button.disabled = !exists(target(button));
  }

  for (const button of buttons) {
    button.addEventListener("click", () => {
      location.assign(location.pathname.replace(/\d+\/$/, `${target(button)}/`));
    });
  }
  // Beside the settings of its task there is nowhere to go to.
  if (window.top !== window.self) /** @type {HTMLElement} */ (strip.querySelector("a")).hidden = true;
  // The next item comes into the same page; its address follows a moment later.
  document.addEventListener("touchstone:swapped", () => setTimeout(update));
  update();
})();
