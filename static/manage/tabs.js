// On a narrow page the tabs scroll sideways: the current one is brought into view.
const current = /** @type {HTMLElement | null} */ (document.querySelector(".tabs [aria-current]"));
const tabs = current?.parentElement;
if (current && tabs) tabs.scrollTo({ left: current.offsetLeft - tabs.offsetLeft - 24 });
