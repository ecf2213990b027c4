// Copy buttons. A button is hidden in the page's source: without this script it would do nothing.
(() => {
  "use strict";

  /** @param {HTMLInputElement} field */
  async function copied(field) {
    // The clipboard exists only on secure origins; a laboratory's server may have no TLS.
    if (navigator.clipboard) {
      try {
        await navigator.clipboard.writeText(field.value);
        return true;
      } catch {
        // Not allowed: the older way may be.
      }
    }
    field.focus();
    field.select();
    return document.execCommand("copy");
  }

  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-copy]"))) {
    const field = /** @type {HTMLInputElement} */ (document.getElementById(button.dataset.copy ?? ""));
    const said = /** @type {HTMLElement} */ (document.querySelector(".copied"));
    button.hidden = false;
    button.addEventListener("click", async () => {
      const done = await copied(field);
      said.textContent = done ? "Copied." : "This browser does not let pages copy: select the link and copy it.";
    });
  }

  for (const field of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("input.address"))) {
    field.addEventListener("focus", () => field.select());
  }
})();
