// The page of one item, and the way to the next: mounts the task, saves, submits, and swaps the next item in place.
//
// A task module exports mount(root, data, page); annotation/tasks/page.d.ts says what it gets and what it gives.

import { Clock } from "./clock.js";
import { dialogsMount, open } from "./dialogs.js";
import { element, elements, targetOf } from "./dom.js";
import { Drafts } from "./drafts.js";
import { listen } from "./keys.js";
import { readingMount } from "./reading.js";
import { clientKey, pending, resendOthers, submit } from "./submit.js";

/** @import { Missing, Mount, Task } from "../../annotation/tasks/page" */
/** @import { SavedState } from "./drafts.js" */
/** @import { Reading } from "./reading.js" */
/** @import { Judgment } from "./submit.js" */

/**
 * @typedef {object} Item what is on the page now
 * @property {HTMLElement} root
 * @property {Record<string, string>} urls
 * @property {number} revision
 * @property {Clock} clock
 * @property {Task<unknown>} task
 * @property {Drafts} drafts
 * @property {Reading} reading
 * @property {(text: string) => void} announce
 * @property {boolean} busy an answer is on its way
 * @property {HTMLElement | null} focused where the focus was when it left
 * @property {(() => void) | null} proceed what Continue does under the feedback on a practice item
 */

/** @typedef {{ correct: boolean, message: string }} FeedbackLine */

/** @type {Record<SavedState, string>} */
const SAVED = { saving: "saving…", saved: "saved ✓", offline: "offline, kept here", refused: "not saved" };

const tabs = new BroadcastChannel("touchstone"); // this browser's other tabs

let item = /** @type {Item} */ (/** @type {unknown} */ (null)); // start() sets it before anything else runs
let isFresh = false; // whether it took the place of another and has not been touched yet

/** @param {Mount<any, any>} mount */
function start(mount) {
  const root = element(document, "#item");
  const read = (/** @type {string} */ name) => JSON.parse(element(document, `#item-${name}`).textContent ?? "");
  const urls = read("urls");
  const revision = Number(root.dataset.revision);
  const unsent = Drafts.unsent(urls.draft, revision);
  const waiting = pending(urls.submit);
  const answer = waiting?.answer ?? unsent?.answer ?? read("answer") ?? {};
  const seconds = Math.max(Number(root.dataset.seconds), unsent?.seconds ?? 0);

  const page = { changed: () => item.drafts.changed(), submit: submitOnce, confirm, announce };
  const task = mount(element(root, "#main"), { content: read("content"), answer }, page);
  const clock = new Clock(seconds);
  if (element(document, "#break", HTMLDialogElement).open) clock.pause();
  const body = () => ({ answer: task.answer(), seconds: clock.seconds });
  const drafts = new Drafts({ url: urls.draft, revision, body, say: savedShow });
  const reading = readingMount(root);
  item = { root, urls, revision, clock, task, drafts, reading, announce, busy: false, focused: null, proceed: null };
  root.dataset.ready = "";
  if (waiting) judge(waiting);
  else if (unsent) drafts.changed();
}

// --- what the page says -------------------------------------------------------------------------------------------

/** @param {string} text */
function announce(text) {
  const live = element(document, "#live");
  live.textContent = "";
  // A live region speaks when its text changes, and so also when the same thing is said twice.
  requestAnimationFrame(() => {
    live.textContent = text;
  });
}

/**
 * @param {SavedState} state
 * @param {string} [message]
 */
function savedShow(state, message) {
  const saved = element(document, "#saved");
  const isNew = saved.dataset.state !== state;
  saved.dataset.state = state;
  saved.textContent = SAVED[state];
  if (isNew && state === "offline") announce("Offline. Your work is kept here and sent again.");
  if (state === "refused" && message) wordShow(message, "Go on", goOn);
}

/**
 * A word that stays until it is settled, with the one thing to do about it.
 *
 * @param {string} text
 * @param {string} label
 * @param {() => void} act
 */
function wordShow(text, label, act) {
  const word = element(document, "#word");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = label;
  button.addEventListener("click", act);
  word.replaceChildren(text, " ", button);
  word.hidden = false;
}

function wordHide() {
  element(document, "#word").hidden = true;
}

/** @param {Missing[]} missing */
function missingShow(missing) {
  item.task.show(missing);
  announce(missing.map((one) => one.message).join(" "));
}

// --- submitting ---------------------------------------------------------------------------------------------------

/**
 * While an answer is on its way it stays as it was sent; the texts can still be read and scrolled.
 *
 * @param {boolean} isBusy
 */
function busySet(isBusy) {
  const [desk] = elements(item.root, ".desk");
  const active = document.activeElement;
  if (isBusy) item.focused = active instanceof HTMLElement && desk?.contains(active) ? active : null;
  item.busy = isBusy;
  if (desk) desk.inert = isBusy;
  if (!isBusy) item.focused?.focus({ preventScroll: true });
}

function submitOnce() {
  if (item.busy) return;
  judge({
    client_key: clientKey(),
    revision: item.revision,
    answer: item.task.answer(),
    seconds: item.clock.seconds,
  });
}

/** @param {Judgment} body */
async function judge(body) {
  busySet(true);
  await item.drafts.stop();
  savedShow("saving");
  const { status, data } = await submit(item.urls.submit, body, { away: offlineShow });
  wordHide();
  if (status === 200) return judged(data);
  busySet(false);
  if (status === 422) {
    item.drafts.start();
    item.drafts.changed();
    return missingShow(data.missing);
  }
  savedShow("refused");
  if (status === 409) {
    item.drafts.forget();
    return wordShow(data.message || "You have judged this item already.", "Go on", goOn);
  }
  const closed = "The study is closed, or your link is no longer valid. Your answer is kept in this browser.";
  return wordShow(data.message || closed, "Try again", () => judge(body));
}

/** @param {() => void} tryNow */
function offlineShow(tryNow) {
  savedShow("offline");
  wordShow("Offline: your work is kept here and sent again.", "Try now", tryNow);
}

/** @param {{ feedback: FeedbackLine[], next?: { html: string, url: string }, finished_url?: string }} data */
function judged(data) {
  tabs.postMessage(item.urls.submit);
  savedShow("saved");
  item.drafts.forget();
  const go = () => {
    item.proceed = null;
    if (data.next) advance(data.next);
    else window.location.assign(data.finished_url || item.urls.home);
  };
  if (data.feedback.length) feedbackShow(data.feedback, go);
  else go();
}

/**
 * @param {FeedbackLine[]} lines
 * @param {() => void} go
 */
function feedbackShow(lines, go) {
  const panel = element(document, "#feedback");
  const rows = lines.map(({ correct, message }) => {
    const row = document.createElement("li");
    row.className = correct ? "same" : "other";
    row.textContent = message;
    return row;
  });
  element(panel, "ul").replaceChildren(...rows);
  panel.hidden = false;
  panel.focus();
  item.proceed = go;
}

// --- what comes next, in place ------------------------------------------------------------------------------------

/**
 * Put the item of ``html``, whose own address is ``url``, in place of this one; false if its script cannot be had.
 *
 * @param {{ html: string, url: string }} next
 */
async function swap({ html, url }) {
  // The server's own template, which escapes every text; a script in it would not run when inserted like this.
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const next = element(holder.content, "#item");
  // The module comes first: from the moment the item is seen, it answers to every key.
  const mount = await mountOf(next);
  if (!mount) {
    unloadedShow(next.dataset.module ?? "", url);
    return false;
  }
  item.clock.stop();
  item.reading.stop();
  element(document, "#item").replaceWith(next);
  document.title = `${next.dataset.place} – ${next.dataset.study}`;
  document.dispatchEvent(new Event("touchstone:swapped"));
  start(mount);
  return true;
}

/** @param {HTMLElement} root */
async function mountOf(root) {
  try {
    return (await import(root.dataset.module ?? "")).mount;
  } catch (error) {
    console.error(error); // the network, or a script that is broken: whoever looks for the cause finds it here
    return null;
  }
}

/**
 * The answer is with the server; what comes next waits until its script can be had, and then comes as a new page.
 *
 * @param {string} module
 * @param {string} url
 */
function unloadedShow(module, url) {
  const again = async () => {
    const isThere = await fetch(module, { cache: "no-store" }).catch(() => null);
    if (isThere) window.location.assign(url);
    else unloadedShow(module, url);
  };
  busySet(true);
  item.proceed = again;
  wordShow("Your answer is saved, but what comes next could not be loaded. Is the network there?", "Try again", again);
  element(document, "#word button").focus();
}

/** @param {{ html: string, url: string }} next */
async function advance(next) {
  if (!(await swap(next))) return;
  isFresh = true;
  window.history.replaceState(null, "", next.url);
  window.scrollTo(0, 0);
  element(document, "#main").focus({ preventScroll: true });
  announce(item.root.dataset.place ?? "");
}

function goOn() {
  window.location.assign(item.urls.home);
}

/** Fix the first answers and bring what they hid (TIDES: the reference). The page stays where it is. */
async function confirm() {
  if (item.busy) return;
  busySet(true);
  const { status, data } = await item.drafts.save({ confirm: true });
  busySet(false);
  if (status === 422) return missingShow(data.missing);
  if (status !== 200) {
    const again = () => {
      wordHide();
      confirm();
    };
    return wordShow(data.message || "Offline: your work is kept here.", "Try again", again);
  }
  tabs.postMessage(item.urls.submit);
  await item.drafts.stop();
  const places = [...document.querySelectorAll(".pane")].map((pane) => pane.scrollTop);
  const top = window.scrollY;
  if (!(await swap({ html: data.html, url: window.location.href }))) return;
  for (const [index, pane] of document.querySelectorAll(".pane").entries()) pane.scrollTop = places[index];
  window.scrollTo(0, top);
  savedShow("saved");
  item.task.confirmed?.();
}

// --- once per page ------------------------------------------------------------------------------------------------

const mount = await mountOf(element(document, "#item"));
if (!mount) {
  wordShow("Part of this page could not be loaded. Nothing is lost.", "Try again", () => window.location.reload());
  await new Promise(() => {}); // nothing below makes sense without it
}
start(mount);
dialogsMount(() => item);
listen({
  help: () => open("keys", item),
  task(key, event) {
    if (key === "Enter" && item.proceed) {
      item.proceed();
      return true;
    }
    return item.busy ? key === "Enter" : item.task.key(key, event);
  },
  scroll(key, event) {
    const place = item.reading.scroll(key, event);
    if (place) announce(place);
    return place !== null;
  },
});
document.addEventListener("click", (event) => {
  if (targetOf(event).closest("[data-continue]")) item.proceed?.();
});
document.addEventListener(
  "click",
  (event) => {
    if (item.busy && targetOf(event).closest("#main :is(button, input, label)")) {
      event.stopPropagation();
      event.preventDefault();
      return;
    }
    // The second half of a double click was meant for the item before.
    if (isFresh && event.detail > 1) event.stopPropagation();
    else isFresh = false;
  },
  { capture: true },
);
// A text that is closed in one tab is closed in all of them.
tabs.addEventListener("message", ({ data }) => {
  if (item.task.closes && data === item.urls.submit) goOn();
});
// The browser may bring back a page as it was left; what it shows then may have been judged since.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) window.location.reload();
});
resendOthers(item.urls.submit);
