// A field for a line of words, however many they are: it grows with them, where an <input> would cut them off.

/**
 * A <textarea class="grows" rows="1"> that holds one line, as an <input> does: Enter, and what is pasted, break it nowhere.
 *
 * @param {HTMLTextAreaElement} field
 */
export function lineField(field) {
  field.addEventListener("keydown", (event) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.isComposing);
    if (event.key === "Enter" && isPlain) event.preventDefault();
  });
  // Before whoever listens to the field reads it.
  field.addEventListener("input", () => broken(field) && flatten(field), { capture: true });
  if (CSS.supports("field-sizing", "content")) return field; // its style does it; other browsers are helped
  field.addEventListener("input", () => grow(field));
  requestAnimationFrame(() => grow(field));
  return field;
}

/** @param {HTMLTextAreaElement} field */
function broken(field) {
  return /[\r\n]/.test(field.value);
}

/** @param {HTMLTextAreaElement} field */
function flatten(field) {
  const caret = field.selectionStart;
  field.value = field.value.replace(/\r\n?|\n/g, " ");
  field.setSelectionRange(caret, caret);
}

/** @param {HTMLTextAreaElement} field */
function grow(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
}
