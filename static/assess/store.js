// What this browser keeps for the assessor until the server has it. Storage may be full or switched off; the page
// must go on without it.

const PREFIX = "touchstone.";

export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // The server's copy is the one that counts.
  }
}

export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function forget(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Nothing was kept, then.
  }
}

/** Names of everything kept under a prefix. */
export function names(prefix) {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(PREFIX + prefix))
      .map((name) => name.slice(PREFIX.length));
  } catch {
    return [];
  }
}
