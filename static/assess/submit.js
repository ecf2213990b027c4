// One judgment per submit, whatever the network does: the request carries a key made once, is kept in this browser
// until the server has answered, and is sent again, with the same key, until it has.

import { isOlder } from "./drafts.js";
import { isAway, post } from "./post.js";
import { forget, keep, kept, names } from "./store.js";

/** @import { Reply } from "./post.js" */

/**
 * @typedef {object} Judgment
 * @property {string} client_key made once for this submit
 * @property {number} revision
 * @property {unknown} answer in the shape of the kind's ``Answer``
 * @property {number} seconds active
 * @property {number} raw_seconds with the page open, idle or not
 * @property {number} at when it was meant, in milliseconds of this browser's clock
 * @property {string | null} [seen] the server's draft at that moment, as far as it was known
 */

const WAITS = [1000, 2000, 4000, 8000, 15000, 30000]; // milliseconds between tries; the last one repeats

export function clientKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Only secure origins have randomUUID; a study in a laboratory may run without TLS.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * A submit that never got its answer, from a tab that was closed or killed. What was saved since, perhaps on another device, is newer.
 *
 * @param {string} url
 * @param {{ seen?: string, savedAgo?: string }} [server] its draft, where it has one, and how many seconds old that is
 * @returns {Judgment | null}
 */
export function pending(url, server = {}) {
  const body = kept(`pending.${url}`);
  if (!body || !isOlder(body, server)) return body;
  pendingForget(url);
  return null;
}

/** @param {string} url */
export function pendingForget(url) {
  forget(`pending.${url}`);
}

/**
 * Send until the server answers. ``away(tryNow)`` is called after each failed try; calling ``tryNow`` cuts the wait
 * short, as does the browser's word that it is online again.
 *
 * @param {string} url
 * @param {Judgment} body
 * @param {{ away: (tryNow: () => void) => void }} options
 * @returns {Promise<Reply>}
 */
export async function submit(url, body, { away }) {
  keep(`pending.${url}`, body);
  for (let tries = 0; ; tries += 1) {
    const answer = await post(url, sent(body));
    if (!isAway(answer.status)) {
      // Refused for who one is (a revoked link, a closed study): the work stays here, it may still be wanted.
      if (![401, 403, 404, 410].includes(answer.status)) forget(`pending.${url}`);
      return answer;
    }
    await pause(WAITS[Math.min(tries, WAITS.length - 1)], away);
  }
}

/**
 * With how long it has waited: the server refuses what is older than a draft that it has got since from elsewhere.
 *
 * @param {Judgment} body
 */
function sent({ at, ...body }) {
  return { ...body, waited: Math.max(0, (Date.now() - at) / 1000) };
}

/**
 * Send what other items have left behind, quietly.
 *
 * @param {string} url of this item
 */
export async function resendOthers(url) {
  for (const name of names("pending.")) {
    const other = name.slice("pending.".length);
    if (other === url) continue;
    const { status } = await post(other, sent(kept(name)));
    if ([200, 409, 422].includes(status)) forget(name);
  }
}

/**
 * @param {number} wait
 * @param {(tryNow: () => void) => void} away
 * @returns {Promise<void>}
 */
function pause(wait, away) {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      window.removeEventListener("online", go);
      resolve();
    };
    const timer = setTimeout(go, wait);
    window.addEventListener("online", go);
    away(go);
  });
}
