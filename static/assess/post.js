// One way to send JSON: with the CSRF token, a time limit, and an answer that says what happened.

import { element } from "./dom.js";

/**
 * @typedef {object} Reply
 * @property {number} status 0 means that no answer came: the network, or the server, is away
 * @property {any} data the JSON of the answer, or {}; what is in it depends on the address and the status
 */

const LIMIT = 20000; // milliseconds

/** Read at the moment of sending: another tab may have renewed it. */
function csrfToken() {
  const cookie = document.cookie.split("; ").find((pair) => pair.startsWith("csrftoken="));
  return cookie
    ? cookie.slice("csrftoken=".length)
    : element(document, "meta[name=csrf-token]", HTMLMetaElement).content;
}

/**
 * @param {string} url
 * @param {object} body
 * @param {{ keepalive?: boolean }} [options] ``keepalive`` for a request that must outlive the page
 * @returns {Promise<Reply>}
 */
export async function post(url, body, { keepalive = false } = {}) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
      credentials: "same-origin",
      body: JSON.stringify(body),
      keepalive,
      signal: keepalive ? undefined : AbortSignal.timeout(LIMIT),
    });
    const isJson = (response.headers.get("Content-Type") || "").startsWith("application/json");
    // Somebody in between has answered, such as the login page of a network: the server has nothing.
    if (response.ok && !isJson) return { status: 0, data: {} };
    return { status: response.status, data: isJson ? await response.json() : {} };
  } catch {
    return { status: 0, data: {} };
  }
}

/**
 * Whether it is worth trying again later, unchanged.
 *
 * @param {number} status
 */
export function isAway(status) {
  return status === 0 || status === 429 || status >= 500;
}
