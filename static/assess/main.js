// The page of one item, and the way to the next: mounts the task, saves, submits, and swaps the next item in place.
//
// A task module exports mount(root, data, page) and returns what the page needs of it: answer(), key(key, event),
// show(missing), lines for the list of keys, confirmed() if it has a first stage, onBreak if its time runs on, and
// closes if what a stage has shown must not be seen again.

import { Clock } from "./clock.js";
import { dialogsMount, open } from "./dialogs.js";
import { Drafts } from "./drafts.js";
import { listen } from "./keys.js";
import { clientKey, pending, resendOthers, submit } from "./submit.js";

const SAVED = { saving: "saving…", saved: "saved ✓", offline: "offline, kept here", refused: "not saved" };

const tabs = new BroadcastChannel("touchstone"); // this browser's other tabs

let item = null; // what is on the page now
let isFresh = false; // whether it took the place of another and has not been touched yet

function start(mount) {
  const root = document.getElementById("item");
  const read = (name) => JSON.parse(document.getElementById(`item-${name}`).textContent);
  const urls = read("urls");
  const revision = Number(root.dataset.revision);
  const unsent = Drafts.unsent(urls.draft, revision);
  const waiting = pending(urls.submit);
  const answer = waiting?.answer ?? unsent?.answer ?? read("answer") ?? {};
  const seconds = Math.max(Number(root.dataset.seconds), unsent?.seconds ?? 0);

  const page = { changed: () => item.drafts.changed(), submit: submitOnce, confirm, announce };
  const task = mount(root.querySelector("#main"), { content: read("content"), answer }, page);
  const clock = new Clock(seconds);
  if (document.getElementById("break").open) clock.pause();
  const body = () => ({ answer: task.answer(), seconds: clock.seconds });
  const drafts = new Drafts({ url: urls.draft, revision, body, say: savedShow });
  item = { root, urls, revision, clock, task, drafts, announce, busy: false, proceed: null };
  root.dataset.ready = "";
  if (waiting) judge(waiting);
  else if (unsent) drafts.changed();
}

// --- what the page says -------------------------------------------------------------------------------------------

function announce(text) {
  const live = document.getElementById("live");
  live.textContent = "";
  // A live region speaks when its text changes, and so also when the same thing is said twice.
  requestAnimationFrame(() => {
    live.textContent = text;
  });
}

function savedShow(state, message) {
  const saved = document.getElementById("saved");
  const isNew = saved.dataset.state !== state;
  saved.dataset.state = state;
  saved.textContent = SAVED[state];
  if (isNew && state === "offline") announce("Offline. Your work is kept here and sent again.");
  if (state === "refused" && message) wordShow(message, "Go on", goOn);
}

/** A word that stays until it is settled, with the one thing to do about it. */
function wordShow(text, label, act) {
  const word = document.getElementById("word");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button small";
  button.textContent = label;
  button.addEventListener("click", act);
  word.replaceChildren(text, " ", button);
  word.hidden = false;
}

function wordHide() {
  document.getElementById("word").hidden = true;
}

function missingShow(missing) {
  item.task.show(missing);
  announce(missing.map((one) => one.message).join(" "));
}

// --- submitting ---------------------------------------------------------------------------------------------------

/** While an answer is on its way it stays as it was sent; the texts can still be read and scrolled. */
function busySet(isBusy) {
  const desk = item.root.querySelector(".desk");
  if (isBusy) item.focused = desk?.contains(document.activeElement) ? document.activeElement : null;
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

function offlineShow(tryNow) {
  savedShow("offline");
  wordShow("Offline: your work is kept here and sent again.", "Try now", tryNow);
}

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

function feedbackShow(lines, go) {
  const panel = document.getElementById("feedback");
  const rows = lines.map(({ correct, message }) => {
    const row = document.createElement("li");
    row.className = correct ? "same" : "other";
    row.textContent = message;
    return row;
  });
  panel.querySelector("ul").replaceChildren(...rows);
  panel.hidden = false;
  panel.focus();
  item.proceed = go;
}

// --- what comes next, in place ------------------------------------------------------------------------------------

/** Put the item of ``html``, whose own address is ``url``, in place of this one; false if its script cannot be had. */
async function swap({ html, url }) {
  // The server's own template, which escapes every text; a script in it would not run when inserted like this.
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const next = holder.content.querySelector("#item");
  // The module comes first: from the moment the item is seen, it answers to every key.
  const mount = await mountOf(next);
  if (!mount) {
    unloadedShow(next.dataset.module, url);
    return false;
  }
  item.clock.stop();
  document.getElementById("item").replaceWith(next);
  document.title = `${next.dataset.place} – ${next.dataset.study}`;
  document.dispatchEvent(new Event("touchstone:swapped"));
  start(mount);
  return true;
}

async function mountOf(root) {
  try {
    return (await import(root.dataset.module)).mount;
  } catch {
    return null;
  }
}

/** The answer is with the server; what comes next waits until its script can be had, and then comes as a new page. */
function unloadedShow(module, url) {
  const again = async () => {
    const isThere = await fetch(module, { cache: "no-store" }).catch(() => null);
    if (isThere) window.location.assign(url);
    else unloadedShow(module, url);
  };
  busySet(true);
  item.proceed = again;
  wordShow("Your answer is saved, but what comes next could not be loaded. Is the network there?", "Try again", again);
  document.querySelector("#word button").focus();
}

async function advance(next) {
  if (!(await swap(next))) return;
  isFresh = true;
  window.history.replaceState(null, "", next.url);
  window.scrollTo(0, 0);
  document.getElementById("main").focus({ preventScroll: true });
  announce(item.root.dataset.place);
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
  item.task.confirmed();
}

// --- once per page ------------------------------------------------------------------------------------------------

const mount = await mountOf(document.getElementById("item"));
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
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-continue]")) item.proceed?.();
});
document.addEventListener(
  "click",
  (event) => {
    if (item.busy && event.target.closest("#main :is(button, input, label)")) {
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
