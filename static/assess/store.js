// What this browser keeps for the assessor until the server has it. Storage may be full or switched off; the page
// must go on without it.

const PREFIX = "touchstone.";

/**
 * @param {string} name
 * @param {unknown} value
 */
export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // The server's copy is the one that counts.
  }
}

/**
 * What was kept under a name, or null. Only this page writes there, so the type is its own.
 *
 * @param {string} name
 * @returns {any}
 */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} name */
export function forget(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Nothing was kept, then.
  }
}

/**
 * Names of everything kept under a prefix.
 *
 * @param {string} prefix
 * @returns {string[]}
 */
export function names(prefix) {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(PREFIX + prefix))
      .map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}
