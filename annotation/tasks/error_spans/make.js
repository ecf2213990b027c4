// Elements in a line each.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | null>} [attributes] those that are null are left out
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/**
 * @param {string} label
 * @param {{ key?: string, look?: string, act: (event: MouseEvent) => void, [attribute: string]: unknown }} options
 */
export function button(label, { key = "", look = "button quiet small", act, ...attributes }) {
  const made = make(
    "button",
    { type: "button", class: look, .../** @type {Record<string, string>} */ (attributes) },
    label,
  );
  if (key) made.append(" ", make("span", { class: "key" }, key));
  made.addEventListener("click", act);
  return made;
}
