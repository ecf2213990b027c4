// Light or dark. Loaded in the head and not deferred, so that a stored choice holds before the first paint.
(() => {
  "use strict";
  const KEY = "touchstone.theme";
  const root = document.documentElement;
  const systemIsDark = window.matchMedia("(prefers-color-scheme: dark)");

  function stored() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage may be switched off; then the system's preference stays
    }
  }

  function isDark() {
    return (root.dataset.theme || (systemIsDark.matches ? "dark" : "light")) === "dark";
  }

  function label() {
    const buttons = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-theme-switch]"));
    for (const button of buttons) {
      button.dataset.dark ??= button.textContent ?? "";
      button.textContent = (isDark() ? button.dataset.light : button.dataset.dark) ?? "";
    }
  }

  const choice = stored();
  if (choice === "light" || choice === "dark") root.dataset.theme = choice;

  document.addEventListener("DOMContentLoaded", label);
  document.addEventListener("touchstone:swapped", label);
  systemIsDark.addEventListener("change", label);
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element && event.target.closest("[data-theme-switch]"))) return;
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch {
      // Without storage the choice holds for this page only.
    }
    label();
  });
})();
