// The dialogs: a break, a flag, a message to the experimenter, the list of keys.

import { element, elements, targetOf } from "./dom.js";
import { gettext } from "./gettext.js";
import { singleKeysOn, singleKeysSet } from "./keys.js";
import { post } from "./post.js";

/** @import { KeyLine, Task } from "../../annotation/tasks/page" */
/** @import { Clock } from "./clock.js" */

/**
 * @typedef {object} Shown the item on the page, as far as dialogs need it
 * @property {Record<string, string>} urls
 * @property {Clock} clock
 * @property {Task<unknown>} task
 * @property {(text: string) => void} announce
 */

/** @type {KeyLine[]} */
const ALWAYS = [
  ["⏎", gettext("next, or submit when complete")],
  [gettext("space"), gettext("read on: a page down (with Shift, up)")],
  ["PageUp PageDown", gettext("the text a page up, a page down")],
  ["Home End", gettext("the text's beginning, its end")],
  ["f", gettext("fold the questions, or show them")],
  ["h F1", gettext("the instructions")],
  ["⌫", gettext("undo the last submit, for ten seconds")],
  ["?", gettext("this list")],
];

/**
 * The keys of every page; F folds only a desk that can be folded, and may be something else for the task.
 *
 * @param {KeyLine[]} own
 */
function houseKeys(own) {
  const [fold] = elements(document, ".desk-fold");
  const isOwn = own.some(([names]) => names.toLowerCase().split(" ").includes("f"));
  const folds = fold && getComputedStyle(fold).display !== "none" && !isOwn;
  return ALWAYS.filter(([names]) => names !== "f" || folds);
}

/** @returns {KeyLine[]} */
function aidKeys() {
  const has = element(document, "#item").dataset.aids?.split(" ").includes("highlighter");
  return has ? [["Alt+H", gettext("highlight the selected words, for yourself, or take that away")]] : [];
}

/** @param {() => Shown} current */
export function dialogsMount(current) {
  document.addEventListener("click", (event) => {
    const target = targetOf(event);
    const opener = target.closest("[data-open]");
    if (opener instanceof HTMLElement) open(opener.dataset.open ?? "", current());
    if (target.closest("[data-close]")) target.closest("dialog")?.close();
  });
  element(document, "#break").addEventListener("close", () => {
    current().clock.resume();
    element(document, "#main").focus({ preventScroll: true }); // so that Enter goes on with the work
  });
  for (const form of elements(document, "form[data-send]", HTMLFormElement)) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form, current());
    });
  }
  const single = element(document, "[data-single-keys]", HTMLInputElement);
  single.checked = singleKeysOn();
  single.addEventListener("change", () => singleKeysSet(single.checked));
}

/**
 * @param {string} name
 * @param {Shown} item
 */
export function open(name, item) {
  const dialog = element(document, `dialog#${name}`, HTMLDialogElement);
  // The focus comes back to where it was, which must not be inside a menu that has closed meanwhile.
  document.activeElement?.closest("details.menu")?.querySelector("summary")?.focus();
  if (name === "break") breakShow(dialog, item);
  if (name === "flag") flagsShow(item);
  if (name === "keys") keysShow(dialog, [...item.task.keys, ...houseKeys(item.task.keys), ...aidKeys()]);
  dialog.showModal();
}

export const SETTLE = 400; // milliseconds in which a key or a tap may still mean the last item

/**
 * The page between two parts, over the first item of the next: the clock stands still until the assessor begins.
 *
 * @param {HTMLElement} root of the item
 * @param {Shown} item
 */
export function partShow(root, item) {
  const [dialog] = elements(root, "dialog#part", HTMLDialogElement);
  if (!dialog) return;
  const since = performance.now();
  keysShow(dialog, item.task.keys);
  item.clock.pause();
  dialog.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "Enter" && (event.repeat || performance.now() - since < SETTLE)) event.preventDefault();
    const asks = key === "F1" || (key.toLowerCase() === "h" && singleKeysOn());
    if (!asks || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    open("instructions", item);
  });
  dialog.addEventListener("close", () => {
    item.clock.resume();
    element(document, "#main").focus({ preventScroll: true });
  });
  dialog.showModal();
}

/**
 * A task whose time does not stand still says so (``onBreak``).
 *
 * @param {HTMLDialogElement} dialog
 * @param {Shown} item
 */
function breakShow(dialog, item) {
  const note = element(dialog, "[data-note]");
  note.dataset.usual ??= note.textContent ?? "";
  note.textContent = item.task.onBreak ?? note.dataset.usual;
  item.clock.pause();
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {KeyLine[]} keys
 */
function keysShow(dialog, keys) {
  const rows = keys.flatMap(([names, meaning]) => {
    const term = document.createElement("dt");
    for (const name of names.split(" ")) {
      const key = document.createElement(name === "…" ? "span" : "kbd"); // “1 … 5” has two keys
      if (name !== "…") key.className = "key";
      key.textContent = name;
      term.append(key, " ");
    }
    const definition = document.createElement("dd");
    definition.textContent = meaning;
    return [term, definition];
  });
  element(dialog, "dl").replaceChildren(...rows);
}

/**
 * @param {HTMLFormElement} form
 * @param {Shown} item
 */
async function send(form, item) {
  const button = element(form, "button:not([type])", HTMLButtonElement);
  const error = element(form, ".error");
  const comment = element(form, "[name=comment]", HTMLTextAreaElement);
  const what = form.dataset.send ?? "";
  button.disabled = true;
  const { status, data } = await post(item.urls[what], { comment: comment.value });
  button.disabled = false;
  error.hidden = status === 200;
  if (status !== 200) {
    error.textContent = data.message || gettext("It could not be sent just now. Your words stay here; try again.");
    return;
  }
  if (what === "flag") flaggedShow(comment.value);
  comment.value = "";
  form.closest("dialog")?.close();
  const saved = element(document, "#saved");
  saved.dataset.state = "saved";
  saved.textContent = what === "flag" ? gettext("flagged ✓") : gettext("sent ✓");
  item.announce(gettext("Sent. Thank you."));
}

/**
 * What was said about the item on the page, by the assessor and the experimenter; it comes and goes with the item.
 *
 * @returns {{ text: string, mine: boolean, new?: boolean }[]}
 */
function flagsSaid() {
  const [said] = elements(document, "#item > #item-flags");
  return said ? JSON.parse(said.textContent ?? "[]") : [];
}

/**
 * The item keeps the mark, and what was said about it.
 *
 * @param {string} comment
 */
function flaggedShow(comment) {
  const said = JSON.stringify([...flagsSaid(), { text: comment, mine: true }]);
  const [before] = elements(document, "#item > #item-flags");
  const held = before ?? document.createElement("script");
  if (held instanceof HTMLScriptElement) held.type = "application/json";
  held.id = "item-flags";
  held.textContent = said;
  element(document, "#item").append(held);
  element(document, "#flagged").hidden = false;
}

/** @param {Shown} item */
function flagsShow(item) {
  const list = element(document, "#flags-said");
  const said = flagsSaid();
  const rows = said.map(({ text, mine }) => {
    const row = document.createElement("li");
    row.dir = "auto";
    row.textContent = mine ? text : gettext("Answer: {text}", { text });
    return row;
  });
  if (item.urls.read && said.some((word) => word.new)) post(item.urls.read, {});
  list.replaceChildren(...rows);
  list.hidden = !rows.length;
}
