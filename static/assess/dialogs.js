// The dialogs: a break, a flag, a message to the experimenter, the list of keys.

import { singleKeysOn, singleKeysSet } from "./keys.js";
import { post } from "./post.js";

const ALWAYS = [
  ["⏎", "next, or submit when complete"],
  ["?", "this list"],
];

/** ``current()`` gives the item on the page: {urls, clock, task, announce}. */
export function dialogsMount(current) {
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open]");
    if (opener) open(opener.dataset.open, current());
    if (event.target.closest("[data-close]")) event.target.closest("dialog").close();
  });
  document.getElementById("break").addEventListener("close", () => current().clock.resume());
  for (const form of document.querySelectorAll("form[data-send]")) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form, current());
    });
  }
  const single = document.querySelector("[data-single-keys]");
  single.checked = singleKeysOn();
  single.addEventListener("change", () => singleKeysSet(single.checked));
}

export function open(name, item) {
  const dialog = document.getElementById(name);
  // The focus comes back to where it was, which must not be inside a menu that has closed meanwhile.
  document.activeElement.closest("details.menu")?.querySelector("summary").focus();
  if (name === "break") breakShow(dialog, item);
  if (name === "keys") keysShow(dialog, item.task.keys);
  dialog.showModal();
}

/** A task whose time does not stand still says so (``onBreak``). */
function breakShow(dialog, item) {
  const note = dialog.querySelector("[data-note]");
  note.dataset.usual ??= note.textContent;
  note.textContent = item.task.onBreak ?? note.dataset.usual;
  item.clock.pause();
}

function keysShow(dialog, keys) {
  const rows = [...keys, ...ALWAYS].flatMap(([names, meaning]) => {
    const term = document.createElement("dt");
    for (const name of names.split(" ")) {
      const key = document.createElement("kbd");
      key.className = "key";
      key.textContent = name;
      term.append(key, " ");
    }
    const definition = document.createElement("dd");
    definition.textContent = meaning;
    return [term, definition];
  });
  dialog.querySelector("dl").replaceChildren(...rows);
}

async function send(form, item) {
  const button = form.querySelector("button:not([type])");
  const error = form.querySelector(".error");
  const comment = form.elements.comment;
  button.disabled = true;
  const { status, data } = await post(item.urls[form.dataset.send], { comment: comment.value });
  button.disabled = false;
  error.hidden = status === 200;
  if (status !== 200) {
    error.textContent = data.message || "It could not be sent just now. Your words stay here; try again.";
    return;
  }
  comment.value = "";
  form.closest("dialog").close();
  const saved = document.getElementById("saved");
  saved.dataset.state = "saved";
  saved.textContent = form.dataset.send === "flag" ? "flagged ✓" : "sent ✓";
  item.announce("Sent. Thank you.");
}
