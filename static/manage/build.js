// Steps with a live page beside the form: every change is sent at once and kept, and the page shows it. Without this script there is Save.
const PAUSE = 500; // milliseconds without a change

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-live]"));
const said = /** @type {HTMLElement} */ (form.querySelector("[data-said]"));
const seen = /** @type {HTMLInputElement} */ (form.elements.namedItem("seen"));
const frame = /** @type {HTMLIFrameElement | null} */ (document.querySelector("[data-preview]"));
let timer = 0;
let sending = false;
let again = false;

/** The page in the frame takes the focus when it is there; whoever is typing must keep it. */
function refresh() {
  if (!frame) return;
  frame.inert = true;
  frame.addEventListener("load", () => setTimeout(() => frame.removeAttribute("inert"), PAUSE), { once: true });
  frame.contentWindow?.location.reload();
}

/** @param {Record<string, string[]>} errors */
function complain(errors) {
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  for (const name of Object.keys(errors)) form.elements.namedItem(name) instanceof Element && mark(name);
  const all = Object.values(errors).flat();
  said.textContent = all.length ? `Not saved yet: ${all[0]}` : "Saved.";
}

/** Markdown as the server renders and cleans it. @param {Record<string, string>} html */
function show(html) {
  for (const [name, rendered] of Object.entries(html)) {
    const place = document.querySelector(`[data-html="${name}"]`);
    if (place) place.innerHTML = rendered;
  }
}

/** @param {string} name */
function mark(name) {
  /** @type {Element} */ (form.elements.namedItem(name)).setAttribute("aria-invalid", "true");
}

async function send() {
  if (sending) {
    again = true;
    return;
  }
  sending = true;
  said.textContent = "Saving …";
  const body = new FormData(form);
  body.set("live", "1");
  try {
    const response = await fetch(location.pathname, { method: "POST", body });
    const reply = await response.json();
    complain(reply.errors);
    show(reply.html ?? {});
    if (response.ok) {
      seen.value = reply.seen;
      refresh();
    }
  } catch {
    said.textContent = "Not saved: the server cannot be reached. Press Save to try again.";
  }
  sending = false;
  if (again) {
    again = false;
    send();
  }
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  said.textContent = "";
  timer = window.setTimeout(send, PAUSE);
});
form.addEventListener("submit", () => clearTimeout(timer));

/** What is not asked for need not be looked at. @param {HTMLInputElement} box */
function open(box) {
  const inside = document.getElementById(box.dataset.opens ?? "");
  if (inside) inside.hidden = !box.checked;
}
for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[data-opens]"))) {
  box.addEventListener("change", () => open(box));
  open(box);
}
