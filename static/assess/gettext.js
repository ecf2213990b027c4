// Words of scripts in the language of the page: an English sentence is its own key, and without a translation it is said as
// it is. The page brings the translations along (annotation/words.py), none if it is English.

/** @type {Record<string, string | string[]>} */
const words = JSON.parse(document.querySelector("#words")?.textContent ?? "{}");
const language = document.documentElement.lang || "en";
const plural = new Intl.PluralRules(language);
// In the order in which catalogues have the forms of a number.
const FORMS = ["zero", "one", "two", "few", "many", "other"].filter((form) =>
  plural.resolvedOptions().pluralCategories.includes(/** @type {Intl.LDMLPluralRule} */ (form)),
);

/** @typedef {Record<string, string | number>} Values what stands in the braces of a sentence */

/**
 * @param {string} text
 * @param {Values} [values]
 */
export function gettext(text, values = {}) {
  const found = words[text];
  return filled(typeof found === "string" ? found : text, values);
}

/**
 * The form that a number takes; ``{n}`` is the number.
 *
 * @param {string} one
 * @param {string} many
 * @param {number} n
 * @param {Values} [values]
 */
export function ngettext(one, many, n, values = {}) {
  const found = words[one];
  const english = n === 1 ? one : many;
  const form = Array.isArray(found) ? found[Math.min(FORMS.indexOf(plural.select(n)), found.length - 1)] : english;
  return filled(form, { n, ...values });
}

/** @param {number} value */
export function numberWords(value) {
  return value.toLocaleString(language);
}

/**
 * Names in a row: "a, b and c".
 *
 * @param {string[]} names
 */
export function listWords(names) {
  return new Intl.ListFormat(language).format(names);
}

/**
 * A heading within a sentence. German keeps its capitals, and other scripts have none.
 *
 * @param {string} heading
 */
export function lower(heading) {
  return language.startsWith("de") ? heading : heading.toLocaleLowerCase(language);
}

/**
 * @param {string} text
 * @param {Values} values
 */
function filled(text, values) {
  return text.replace(/\{(\w+)\}/gu, (braces, name) => (name in values ? String(values[name]) : braces));
}
