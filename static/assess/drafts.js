// Half-finished work: saved a moment after each change and when the page is left, and kept in this browser as long
// as the server does not have it.

import { isAway, post } from "./post.js";
import { forget, keep, kept } from "./store.js";

/**
 * @typedef {object} Draft
 * @property {number} revision the server refuses a draft of an older one
 * @property {unknown} answer in the shape of the kind's ``Answer``
 * @property {number} seconds active
 * @property {number} raw_seconds with the page open, idle or not
 * @property {string | null} [seen] of a copy that is kept here: the server's draft at that moment, as far as it was known
 * @property {string} [stage] of such a copy: which stage of the answer its page was for
 * @property {number} [at] of such a copy: when, in milliseconds of this browser's clock
 */

/** @typedef {"saving" | "saved" | "offline" | "refused"} SavedState */

/** @import { Reply } from "./post.js" */

const PAUSE = 600; // milliseconds after the last change
const RETRY = 5000;
const PATIENCE = 3000;
const MOST_UNHEARD = 20; // of drafts
const ROOM = 250_000; // bytes; the server takes twice as much
const MOST_VALUES = 20_000; // of which it takes some more, too
const ROOM_LEAVING = 60_000; // browsers let no more outlive a page than 64 KB
const SLACK = 10000; // a page is made before it is seen, and a request is under way for a while

/**
 * Whether the server's draft was saved after this was kept here, on another device or in another tab, or is at another stage.
 *
 * @param {{ seen?: string | null, stage?: string, at?: number }} copy
 * @param {{ seen?: string, savedAgo?: string, stage?: string }} server its draft, where it has one, and how many seconds old that is
 */
export function isOlder(copy, { seen, savedAgo, stage }) {
  // What was answered at an earlier stage is fixed, or was about other texts.
  if (copy.stage !== undefined && copy.stage !== stage) return true;
  if (typeof copy.seen === "string") return Boolean(seen) && seen !== copy.seen;
  return Boolean(savedAgo) && (copy.at ?? Infinity) + SLACK < Date.now() - Number(savedAgo) * 1000;
}

/**
 * Whether the server, which counts bytes and values, takes so much.
 *
 * @param {unknown} sent
 * @param {number} room in bytes
 */
function hasRoom(sent, room) {
  const text = JSON.stringify(sent);
  const values = text.match(/[[{,:]/g)?.length ?? 0; // one of these stands before each; some stand in texts
  return values <= MOST_VALUES && new TextEncoder().encode(text).length <= room;
}

export class Drafts {
  /** @type {string} */
  #url;
  /** @type {number} */
  #revision;
  /** @type {() => Draft} */
  #body;
  /** @type {(state: SavedState, reply?: Reply) => void} */
  #say;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {Promise<unknown>} */
  #flight = Promise.resolve();
  #dirty = false;
  #leftAt = -Infinity;
  #stopped = true;
  #refused = false; // for something newer that the server has
  /** @type {string | null} the draft that the server had when it was last heard of, as the server calls it */
  #seen;
  /** @type {string | undefined} */
  #stage;
  #turn = 0;
  #heardTurn = 0;
  /** @type {{ turn: number, answer: unknown }[]} what was sent since, of which nobody here knows whether it arrived */
  #unheard = [];
  /** @type {unknown[]} what another tab that was only looked at sends when it is left: nobody has answered anything there */
  #untouched;

  /**
   * @param {object} options
   * @param {string} options.url
   * @param {number} options.revision
   * @param {() => { answer: unknown, seconds: number, raw_seconds: number }} options.body what is to be saved, as it is when asked
   * @param {(state: SavedState, reply?: Reply) => void} options.say with the reply, if it is a refusal
   * @param {string | null} [options.seen] the draft that the page starts from, as the server calls it
   * @param {string} [options.stage] which stage of the answer the page is for
   */
  constructor({ url, revision, body, say, seen = null, stage }) {
    this.#url = url;
    this.#revision = revision;
    // A copy: some kinds give the answer that they go on changing, and what was sent is what the server may have.
    this.#body = () => structuredClone({ revision, ...body() });
    this.#say = say;
    this.#seen = seen;
    this.#stage = stage;
    this.#untouched = seen === "" ? [this.#body().answer] : [];
    this.start();
  }

  /**
   * Work that never reached the server, from a tab that was closed or killed while offline. A tab that is closed never hears
   * whether its last draft arrived, so its copy stays, and what was saved since, perhaps on another device, is newer.
   *
   * @param {string} url
   * @param {number} revision
   * @param {{ seen?: string, savedAgo?: string, stage?: string }} [server] its draft, where it has one, and how many seconds old that is
   * @returns {Draft | null}
   */
  static unsent(url, revision, server = {}) {
    const draft = kept(`draft.${url}`);
    if (!draft || draft.revision !== revision) return null;
    if (!isOlder(draft, server)) return draft;
    forget(`draft.${url}`);
    return null;
  }

  /** The draft that the server has; null where nobody here knows. */
  get seen() {
    return this.#unheard.length ? null : this.#seen;
  }

  start() {
    this.#stopped = false;
    document.addEventListener("visibilitychange", this.#leave);
    window.addEventListener("pagehide", this.#leave);
    window.addEventListener("online", this.#online);
  }

  changed() {
    if (this.#stopped) return;
    this.#dirty = true;
    keep(`draft.${this.#url}`, { ...this.#body(), seen: this.seen, stage: this.#stage, at: Date.now() });
    this.#say("saving");
    this.#schedule(PAUSE);
  }

  /**
   * Save now; resolves with the server's answer.
   *
   * @param {{ confirm?: boolean }} [extra] goes along
   * @returns {Promise<Reply>}
   */
  async save(extra = {}) {
    clearTimeout(this.#timer);
    const flight = this.#flight.then(() => {
      this.#dirty = false;
      return this.#send(extra);
    });
    this.#flight = flight;
    return flight;
  }

  /** No more drafts: the item is being submitted. Waits a while for one under way, so that it does not overtake. */
  async stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
    document.removeEventListener("visibilitychange", this.#leave);
    window.removeEventListener("pagehide", this.#leave);
    window.removeEventListener("online", this.#online);
    await Promise.race([this.#flight, new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  }

  forget() {
    forget(`draft.${this.#url}`);
  }

  /**
   * The server refuses a draft that does not go on from the one it has: another tab or device has changed it. Where answers were
   * lost it may have one of those that were sent meanwhile, so they go along; too much of them does not, and then neither
   * does what was seen, and the draft is taken as it is. Whoever was refused goes on from what they had seen, and is refused again.
   *
   * @param {object} extra
   * @param {{ keepalive?: boolean }} [options]
   * @returns {Promise<Reply>}
   */
  async #send(extra, options) {
    const body = this.#body();
    this.#turn += 1;
    const turn = this.#turn;
    const sent = { ...body, ...this.#goesOnFrom(body, options?.keepalive ? ROOM_LEAVING : ROOM), ...extra };
    this.#keepUnheard(turn, body.answer);
    const reply = await post(this.#url, sent, options);
    this.#hear(turn, reply);
    if (!this.#stopped && turn === this.#turn) this.#settle(reply); // else the one that was sent last decides
    return reply;
  }

  /**
   * @param {Draft} body
   * @param {number} room in bytes, for all of it
   */
  #goesOnFrom(body, room) {
    if (this.#seen === null) return {};
    const unheard = [...(this.#seen === "" ? this.#untouched : []), ...this.#unheard.map(({ answer }) => answer)];
    if (!unheard.length) return { seen: this.#seen };
    while (unheard.length > 1 && !hasRoom([body, unheard], room)) unheard.splice(1, 1);
    if (hasRoom([body, unheard], room)) return { seen: this.#seen, unheard };
    return this.#refused ? { seen: this.#seen } : {};
  }

  /**
   * The first and the last are the likeliest to have arrived; the same is often sent again.
   *
   * @param {number} turn
   * @param {unknown} answer
   */
  #keepUnheard(turn, answer) {
    const before = this.#unheard.at(-1);
    if (before && JSON.stringify(before.answer) === JSON.stringify(answer)) this.#unheard.pop();
    this.#unheard.push({ turn, answer });
    if (this.#unheard.length > MOST_UNHEARD) this.#unheard.splice(1, 1);
  }

  /**
   * @param {number} turn
   * @param {Reply} reply
   */
  #hear(turn, { status, data }) {
    if (status === 0 || status >= 500) return;
    if (status === 200 || status === 409) this.#refused = status === 409;
    if (status !== 200) {
      this.#unheard = this.#unheard.filter((one) => one.turn !== turn);
    } else if (turn > this.#heardTurn) {
      this.#heardTurn = turn;
      this.#seen = data.seen ?? null;
      this.#unheard = this.#unheard.filter((one) => one.turn > turn);
    }
  }

  /** @param {number} wait */
  #schedule(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), wait);
  }

  /** @param {Reply} reply */
  #settle(reply) {
    const { status } = reply;
    if (status === 200) {
      if (this.#dirty) return; // changed again meanwhile; the next save is scheduled
      this.forget();
      this.#say("saved");
    } else if (isAway(status)) {
      this.#dirty = true;
      this.#say("offline");
      this.#schedule(RETRY);
    } else {
      this.#say("refused", reply);
    }
  }

  #online = () => {
    if (this.#dirty) this.#schedule(0);
  };

  // The page may never run again after this, so the request must outlive it. The first visit of an item is saved even
  // without an answer, for its seconds. Browsers tell twice that a page is left; once is enough.
  /** @param {Event} event */
  #leave = (event) => {
    if (event.type === "visibilitychange" && document.visibilityState === "visible") return;
    if (!this.#dirty && (this.#revision > 1 || performance.now() - this.#leftAt < PAUSE)) return;
    this.#leftAt = performance.now();
    this.#dirty = false;
    clearTimeout(this.#timer);
    this.#send({}, { keepalive: true });
  };
}
