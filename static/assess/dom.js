// Elements by what they must be: a page that lacks one says which, instead of failing somewhere later.

/**
 * The first element that fits; the page must have it.
 *
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} [type]
 * @returns {T}
 */
export function element(root, selector, type) {
  const first = root.querySelector(selector);
  if (first instanceof (type ?? HTMLElement)) return /** @type {T} */ (first);
  throw new Error(`The page has no ${type?.name ?? "element"} ${selector}.`);
}

/**
 * All elements that fit.
 *
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} [type]
 * @returns {T[]}
 */
export function elements(root, selector, type) {
  return [...root.querySelectorAll(selector)].map((each) => {
    if (each instanceof (type ?? HTMLElement)) return /** @type {T} */ (each);
    throw new Error(`The page has a ${selector} that is no ${type?.name ?? "HTMLElement"}.`);
  });
}

/** The language of a text, as the page has it. @param {Element | null} text */
export function langOf(text) {
  const named = text?.closest("[lang]");
  return named instanceof HTMLElement ? named.lang : "";
}

/**
 * The element that an event happened to.
 *
 * @param {Event} event
 * @returns {Element}
 */
export function targetOf(event) {
  return event.target instanceof Element ? event.target : document.documentElement;
}
