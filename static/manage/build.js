// Steps that keep every change at once, and show what follows from it. Whoever leaves does not lose what was typed last:
// it is sent first. Without this script there is Save.
const PAUSE = 500; // milliseconds without a change

const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-live]"));
const said = /** @type {HTMLElement} */ (form.querySelector("[data-said]"));
const seen = /** @type {HTMLInputElement} */ (form.elements.namedItem("seen"));
const frame = /** @type {HTMLIFrameElement | null} */ (document.querySelector("[data-preview]"));
let timer = 0;
let pending = false; // something was changed since the form was last sent
let due = false; // it is to be sent now
let leaving = false;
/** @type {Promise<boolean> | null} */
let underway = null;

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

/** Sends the form as it is; says whether it was kept. */
async function sendOnce() {
  due = false;
  pending = false;
  said.textContent = "Saving …";
  const body = new FormData(form);
  body.set("live", "1");
  try {
    // A page that is left may end before its request: keepalive lets it through.
    const response = await fetch(location.pathname + location.search, { method: "POST", body, keepalive: leaving });
    const reply = await response.json();
    complain(reply.errors);
    show(reply.html ?? {});
    if (response.ok) {
      seen.value = reply.seen;
      refresh();
    }
    return response.ok;
  } catch {
    said.textContent = "Not saved: the server cannot be reached. Press Save to try again.";
    return false;
  }
}

/** One request after the other, since each names the state that the one before has left. */
async function sendAll() {
  let kept = await sendOnce();
  while (due) kept = await sendOnce();
  underway = null;
  return kept;
}

function send() {
  clearTimeout(timer);
  due = true;
  underway ??= sendAll();
  return underway;
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  pending = true;
  said.textContent = "";
  timer = window.setTimeout(send, PAUSE);
});

/** Everything typed so far is sent and answered; says whether it was kept. */
function settled() {
  return pending ? send() : (underway ?? Promise.resolve(true));
}

/** Goes on once everything is kept. What cannot be kept is said, and the next press goes on without it. @param {() => void} goOn */
async function afterwards(goOn) {
  if (await settled()) goOn();
  else said.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const elsewhere = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link?.href || link.target || link.getAttribute("href")?.startsWith("#")) return;
  if (elsewhere || event.defaultPrevented || !(pending || underway)) return;
  event.preventDefault();
  afterwards(() => location.assign(link.href));
});

document.addEventListener("submit", (event) => {
  const sent = /** @type {HTMLFormElement} */ (event.target);
  if (sent === form && !underway) {
    clearTimeout(timer);
    pending = false;
  } else if (pending || underway) {
    event.preventDefault();
    afterwards(() => sent.requestSubmit(event.submitter));
  }
});

/** The tab is closed or put aside, or another address typed. */
function leave() {
  if (!pending) return;
  leaving = true;
  send();
  leaving = false;
}
window.addEventListener("pagehide", leave);
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && leave());

/** What is not asked for need not be looked at. @param {HTMLInputElement} box */
function open(box) {
  const inside = document.getElementById(box.dataset.opens ?? "");
  if (inside) inside.hidden = !box.checked;
}
for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[data-opens]"))) {
  box.addEventListener("change", () => open(box));
  open(box);
}
