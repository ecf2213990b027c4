// The page of one item, and the way to the next: mounts the task, saves, submits, and swaps the next item in place.
//
// A task module exports mount(root, data, page); annotation/tasks/page.d.ts says what it gets and what it gives.

import { aidsMount } from "./aids.js";
import { Clock } from "./clock.js";
import { deskMount } from "./desk.js";
import { dialogsMount, open, partShow, SETTLE } from "./dialogs.js";
import { element, elements, targetOf } from "./dom.js";
import { Drafts } from "./drafts.js";
import { gettext } from "./gettext.js";
import { jumpsMount } from "./jumps.js";
import { listen } from "./keys.js";
import { lookMount } from "./look.js";
import { isAway, post } from "./post.js";
import { readingMount, wordsOnScreen } from "./reading.js";
import { restMount } from "./rest.js";
import { clientKey, pending, pendingForget, resendOthers, submit } from "./submit.js";
import { undoMount } from "./undo.js";
import { announce, refusal, wordHide, wordShow } from "./words.js";

/** @import { Missing, Mount, Task } from "../../annotation/tasks/page" */
/** @import { Aids } from "./aids.js" */
/** @import { Desk } from "./desk.js" */
/** @import { SavedState } from "./drafts.js" */
/** @import { Reply } from "./post.js" */
/** @import { Reading } from "./reading.js" */
/** @import { Judgment } from "./submit.js" */

/**
 * @typedef {object} Item what is on the page now
 * @property {HTMLElement} root
 * @property {Record<string, string>} urls
 * @property {number} revision
 * @property {boolean} revises whether it changes what counts already; practice that begins anew does not
 * @property {Clock} clock
 * @property {Task<unknown>} task
 * @property {Drafts} drafts
 * @property {Reading} reading
 * @property {Aids} aids
 * @property {Desk} desk
 * @property {{ stop: () => void }} jumps
 * @property {(text: string) => void} announce
 * @property {number} since active seconds that were counted before
 * @property {boolean} busy an answer is on its way
 * @property {boolean} refused a submit of it was refused, and the answer is still as it was then
 * @property {boolean} changed an earlier answer was changed, and the change is not submitted
 * @property {HTMLElement | null} focused where the focus was when it left
 * @property {(() => void) | null} proceed what Continue does under the feedback on a practice item
 */

/** @typedef {{ correct: boolean, message: string }} FeedbackLine */

/** @type {Record<SavedState, string>} */
const SAVED = {
  saving: gettext("saving…"),
  saved: gettext("saved ✓"),
  offline: gettext("offline, kept here"),
  refused: gettext("not saved"),
};
const CHANGED = gettext("changed, not submitted"); // a change that the server has, and that does not count yet
const SLOW = 1000; // milliseconds after which the page says that it is saving, or sending
const WORK_TOLD = 30_000; // milliseconds between two looks at how long somebody has worked

const tabs = new BroadcastChannel("touchstone"); // this browser's other tabs

let item = /** @type {Item} */ (/** @type {unknown} */ (null)); // start() sets it before anything else runs
let isFresh = false; // whether it took the place of another and has not been touched yet
let freshSince = -Infinity; // when it took that place

/** @param {Mount<any, any>} mount */
function start(mount) {
  const root = element(document, "#item");
  const read = (/** @type {string} */ name) => JSON.parse(element(document, `#item-${name}`).textContent ?? "");
  const urls = read("urls");
  const revision = Number(root.dataset.revision);
  const revises = elements(root, "#revising").length > 0;
  const unsent = Drafts.unsent(urls.draft, revision, root.dataset);
  const waiting = pending(urls.submit, root.dataset);
  const answer = waiting?.answer ?? unsent?.answer ?? read("answer") ?? {};
  const seconds = Math.max(Number(root.dataset.seconds), unsent?.seconds ?? 0);

  const page = {
    changed,
    submit: submitOnce,
    confirm,
    announce,
    submitWord: revises ? gettext("Submit change") : gettext("Submit"),
  };
  const task = mount(element(root, "#main"), { content: read("content"), answer }, page);
  const raw = Math.max(Number(root.dataset.rawSeconds), unsent?.raw_seconds ?? 0);
  const clock = new Clock(seconds, { raw, words: () => wordsOnScreen(root), idle: stillShow });
  if (element(document, "#break", HTMLDialogElement).open) clock.pause();
  const body = () => ({ answer: task.answer(), seconds: clock.seconds, raw_seconds: clock.rawSeconds });
  const { seen, stage } = root.dataset;
  const drafts = new Drafts({ url: urls.draft, revision, body, say: savedShow, seen, stage });
  const reading = readingMount(root);
  const aids = aidsMount(root, urls.submit);
  const desk = deskMount(root);
  const jumps = jumpsMount(root);
  const isChanged = elements(root, "#revising[data-changed]").length > 0;
  item = {
    root,
    urls,
    revision,
    revises,
    clock,
    task,
    drafts,
    reading,
    aids,
    desk,
    jumps,
    announce,
    since: seconds,
    busy: false,
    refused: false,
    changed: isChanged,
    focused: null,
    proceed: null,
  };
  if (isChanged) savedShow("saved");
  partShow(root, item);
  root.dataset.ready = "";
  if (waiting) judge(waiting);
  else if (unsent) changed();
}

// --- what the page says -------------------------------------------------------------------------------------------

/** @type {ReturnType<typeof setTimeout> | undefined} */
let slow;

/**
 * What the bar says. Saving is quick, and a word for it at every key would only flicker: it comes when it takes long.
 *
 * @param {SavedState} state
 * @param {Reply} [reply] why it was refused
 */
function savedShow(state, reply) {
  const saved = element(document, "#saved");
  const isNew = saved.dataset.state !== state;
  clearTimeout(slow);
  const isPending = state === "saved" && item?.revises && item.changed;
  saved.dataset.state = isPending ? "changed" : state;
  saved.textContent = isPending ? CHANGED : state === "saving" ? "" : SAVED[state];
  if (state === "saving") {
    slow = setTimeout(() => {
      saved.textContent = SAVED.saving;
    }, SLOW);
  }
  if (isNew && state === "offline") announce(gettext("Offline. Your work is kept here and sent again."));
  if (state === "refused" && reply) refusedShow(reply, () => item.drafts.save());
}

/**
 * What was refused, why, and what one can do about it.
 *
 * @param {Reply} reply
 * @param {() => void} again
 */
function refusedShow(reply, again) {
  const { status, data } = reply;
  if (data.offer === "reload") return wordShow(refusal(reply), gettext("Reload"), reload);
  if (status === 409) return wordShow(refusal(reply), gettext("Go on"), goOn);
  const retry = () => {
    wordHide();
    again();
  };
  return wordShow(refusal(reply), gettext("Try again"), retry);
}

/** What another tab has changed takes the place of what this one holds. */
function reload() {
  item.changed = false;
  item.drafts.forget();
  window.location.reload();
}

function changed() {
  item.changed = true;
  if (item.refused) {
    // What was refused is not what is meant any more: it must not be sent again, by this page or the next one.
    item.refused = false;
    pendingForget(item.urls.submit);
    item.drafts.start();
  }
  if (item.revises) {
    element(item.root, "[data-revising]").textContent = gettext("Changed, not submitted.");
    element(item.root, "[data-discard]").textContent = gettext("Discard the change");
  }
  item.drafts.changed();
}

/** A change that was not submitted goes, here and on the server; what was submitted counts, as before. */
async function discard() {
  if (item.busy) return;
  busySet(true);
  await item.drafts.stop();
  const reply = await post(item.urls.discard, { revision: item.revision });
  if (reply.status === 200) {
    item.changed = false;
    item.drafts.forget();
    return goOn();
  }
  busySet(false);
  item.drafts.start();
  return isAway(reply.status)
    ? wordShow(gettext("Offline: the change could not be discarded."), gettext("Try again"), discard)
    : refusedShow(reply, discard);
}

/**
 * Nothing has moved for longer than reading what is on the screen may take: the clock stands still, and says so.
 *
 * @param {boolean} isIdle
 */
function stillShow(isIdle) {
  element(document, "#still").hidden = !isIdle;
}

/** @param {Missing[]} missing */
function missingShow(missing) {
  item.desk.unfold();
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
  if (isBusy && !item.busy) item.focused = active instanceof HTMLElement && isAnswering(active) ? active : null;
  item.busy = isBusy;
  if (desk) desk.inert = isBusy;
  if (isBusy) item.focused?.blur(); // also where one writes, or marks, beside the desk
  clearTimeout(busyWord);
  for (const button of elements(item.root, "[data-primary]")) button.classList.remove("busy");
  if (isBusy) busyWord = setTimeout(busyShow, SLOW);
  if (!isBusy) item.focused?.focus({ preventScroll: true });
}

/**
 * Whether something is part of the answer, or may be: whatever is in the item but the texts as such, which are scrolled by keys.
 *
 * @param {Element} part
 */
function isAnswering(part) {
  return Boolean(part.closest("#main")) && !part.matches("#main, .pane, .set");
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let busyWord;

function busyShow() {
  if (!item.busy) return;
  for (const button of elements(item.root, "[data-primary]")) button.classList.add("busy");
  announce(gettext("Sending…"));
}

/** Whether nobody can have read it, let alone answered it: what goes on then, such as a second tap, was meant for what stood here. */
function isUnread() {
  return !item.changed && performance.now() - freshSince < SETTLE;
}

function submitOnce() {
  if (item.busy || isUnread()) return;
  busySet(true); // first, as it ends the composing of a word, and that belongs to the answer
  judge({
    client_key: clientKey(),
    revision: item.revision,
    answer: structuredClone(item.task.answer()), // as it is now, also where it is sent again
    seconds: item.clock.seconds,
    raw_seconds: item.clock.rawSeconds,
    at: Date.now(),
  });
}

/** @param {Judgment} body */
async function judge(body) {
  busySet(true);
  await item.drafts.stop();
  savedShow("saving");
  if (body.seen === undefined) body.seen = item.drafts.seen; // what has waited in this browser says what it knew
  const reply = await submit(item.urls.submit, body, { away: offlineShow });
  const { status, data } = reply;
  wordHide();
  clearTimeout(busyWord);
  if (status === 200) return judged(data);
  busySet(false);
  if (status === 422) {
    item.drafts.start();
    item.drafts.changed();
    return missingShow(data.missing);
  }
  savedShow("refused");
  if (status === 409) item.drafts.forget();
  else item.refused = true;
  return refusedShow(reply, () => (item.refused ? judge(body) : submitOnce()));
}

/** @param {() => void} tryNow */
function offlineShow(tryNow) {
  savedShow("offline");
  wordShow(gettext("Offline: your work is kept here and sent again."), gettext("Try now"), tryNow);
}

/**
 * @typedef {object} JudgedData
 * @property {FeedbackLine[]} feedback
 * @property {{ html: string, url: string }} [next]
 * @property {string} [finished_url]
 * @property {string} [undo_url] where the submit can be undone, if the protocol allows it
 */

/** Also in the middle of an item: some take hours. */
function workTell() {
  const { seconds } = item.clock;
  rest.add(seconds - item.since);
  item.since = seconds;
}

/** @param {JudgedData} data */
function judged(data) {
  tabs.postMessage(item.urls.submit);
  const word = item.revises ? gettext("Change submitted") : gettext("Submitted");
  item.changed = false;
  savedShow("saved");
  item.drafts.forget();
  workTell();
  const go = () => {
    item.proceed = null;
    if (data.next) advance(data.next).then(() => data.undo_url && undo.offer(data.undo_url, word));
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
  item.aids.stop();
  item.jumps.stop();
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
  wordShow(
    gettext("Your answer is saved, but what comes next could not be loaded. Is the network there?"),
    gettext("Try again"),
    again,
  );
  element(document, "#word button").focus();
}

/** @param {{ html: string, url: string }} next */
async function advance(next) {
  if (!(await swap(next))) return;
  isFresh = true;
  freshSince = performance.now();
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
  if (item.busy || isUnread()) return;
  busySet(true);
  const reply = await item.drafts.save({ confirm: true });
  const { status, data } = reply;
  busySet(false);
  if (status === 422) return missingShow(data.missing);
  if (isAway(status)) {
    const again = () => {
      wordHide();
      confirm();
    };
    return wordShow(gettext("Offline: your work is kept here."), gettext("Try again"), again);
  }
  if (status !== 200) return refusedShow(reply, confirm);
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

/**
 * Keys that are the same in every task, unless the task has them for something of its own. Where letters mark units, F1 is left.
 *
 * @param {string} key
 */
function houseKey(key) {
  if (key === "f") item.desk.toggle();
  else if (key === "h" || key === "f1") open("instructions", item);
  else return false;
  return true;
}

// --- once per page ------------------------------------------------------------------------------------------------

const mount = await mountOf(element(document, "#item"));
if (!mount) {
  wordShow(gettext("Part of this page could not be loaded. Nothing is lost."), gettext("Try again"), () =>
    window.location.reload(),
  );
  await new Promise(() => {}); // nothing below makes sense without it
}
const undo = undoMount(async (url) => {
  const reply = await post(url, {});
  if (reply.status === 200) return window.location.assign(reply.data.url);
  const text = isAway(reply.status) ? gettext("Offline: this could not be undone.") : refusal(reply);
  return wordShow(text, gettext("All right"), wordHide);
});
const rest = restMount();
setInterval(workTell, WORK_TOLD);
lookMount(() => element(document, "#item").dataset.assessor ?? "");
start(mount);
dialogsMount(() => item);
listen({
  help: () => open("keys", item),
  task(key, event) {
    if (key === "Enter" && item.proceed) {
      item.proceed();
      return true;
    }
    if (key === "Backspace" && undo.act()) return true;
    if (item.busy) return key === "Enter";
    if (item.task.key(key, event)) {
      item.desk.unfold();
      return true;
    }
    return houseKey(key.toLowerCase());
  },
  scroll(key, event) {
    const place = item.reading.scroll(key, event);
    if (place) announce(place);
    return place !== null;
  },
});
document.addEventListener("click", (event) => {
  if (targetOf(event).closest("[data-continue]")) item.proceed?.();
  if (targetOf(event).closest("[data-discard]")) discard();
});
document.addEventListener(
  "click",
  (event) => {
    const target = targetOf(event);
    if (item.busy && target.closest("#main") && !target.closest("a, summary")) {
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
// Nobody writes, marks or takes back what is on its way: it would be seen, and not be sent. Keys that are held down submit once.
document.addEventListener(
  "focusin",
  (event) => {
    const target = targetOf(event);
    if (item.busy && target instanceof HTMLElement && isAnswering(target)) target.blur();
  },
  { capture: true },
);
document.addEventListener(
  "pointerdown",
  (event) => {
    if (item.busy && targetOf(event).closest("#main")) event.stopPropagation();
  },
  { capture: true },
);
document.addEventListener(
  "keydown",
  (event) => {
    const key = event.ctrlKey || event.metaKey ? event.key.toLowerCase() : "";
    const isHeld = event.repeat && key === "enter";
    if (isHeld || (item.busy && ["z", "y", "enter"].includes(key))) {
      event.stopPropagation();
      event.preventDefault();
    }
  },
  { capture: true },
);
// A text that is closed in one tab is closed in all of them.
tabs.addEventListener("message", ({ data }) => {
  if (item.task.closes && data === item.urls.submit) goOn();
});
// A change that does not count yet is easily forgotten.
window.addEventListener("beforeunload", (event) => {
  if (item.revises && item.changed && !item.busy) event.preventDefault();
});
// The browser may bring back a page as it was left; what it shows then may have been judged since.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) window.location.reload();
});
resendOthers(item.urls.submit);
