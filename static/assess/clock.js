// Two counts of time. Raw seconds: the item's page is open, whatever the assessor does. Active seconds: it is also visible,
// no break is on, and the last sign of life is not longer ago than reading what is on the screen may take.

const IDLE = 60000; // milliseconds without a sign of life, on a screen without a word
const PER_WORD = 400; // and for each word on it: 150 words a minute is slow, careful reading
const TICK = 1000;
const SIGNS = ["pointermove", "pointerdown", "keydown", "scroll", "wheel", "touchmove"];

/**
 * @typedef {object} Watching
 * @property {number} [raw] seconds with the page open that were counted before
 * @property {() => number} [words] how many can be read on the screen now
 * @property {(isIdle: boolean) => void} [idle] the limit has passed without a sign of life, or one has come after that
 */

export class Clock {
  /** @type {number} */
  #milliseconds;
  /** @type {number} */
  #raw;
  /** @type {Required<Watching>} */
  #watching;
  #lastTick = performance.now();
  #lastSign = performance.now();
  #limit = IDLE;
  #isIdle = false;
  #wasVisible = document.visibilityState === "visible";
  #onBreak = false;
  /** @type {ReturnType<typeof setInterval>} */
  #timer;

  /**
   * @param {number} seconds that were counted before
   * @param {Watching} [watching]
   */
  constructor(seconds, { raw = 0, words = () => 0, idle = () => {} } = {}) {
    this.#milliseconds = seconds * 1000;
    this.#raw = Math.max(raw, seconds) * 1000;
    this.#watching = { raw, words, idle };
    this.#limit = IDLE + words() * PER_WORD;
    for (const sign of SIGNS) document.addEventListener(sign, this.#sign, { capture: true, passive: true });
    document.addEventListener("visibilitychange", this.#tick);
    this.#timer = setInterval(this.#tick, TICK);
  }

  get seconds() {
    this.#tick();
    return Math.round(this.#milliseconds) / 1000;
  }

  get rawSeconds() {
    this.#tick();
    return Math.round(this.#raw) / 1000;
  }

  pause() {
    this.#tick();
    this.#onBreak = true;
  }

  resume() {
    this.#tick();
    this.#lastSign = performance.now();
    this.#onBreak = false;
  }

  stop() {
    clearInterval(this.#timer);
    this.#idleSet(false);
    document.removeEventListener("visibilitychange", this.#tick);
    for (const sign of SIGNS) document.removeEventListener(sign, this.#sign, { capture: true });
  }

  #sign = () => {
    this.#tick();
    this.#lastSign = performance.now();
    this.#idleSet(false);
  };

  /** @param {boolean} isIdle */
  #idleSet(isIdle) {
    if (isIdle === this.#isIdle) return;
    this.#isIdle = isIdle;
    this.#watching.idle(isIdle);
  }

  // What counts is the state during the time that has passed, so the visibility before this tick, not after it. A
  // tick that comes late was held up by a sleeping computer; only a tick's worth of that can have been work.
  #tick = () => {
    const now = performance.now();
    const quiet = now - this.#lastSign;
    // Words are counted when it matters, and not at every move of the pointer.
    if (quiet > IDLE / 2 && quiet < IDLE) this.#limit = IDLE + this.#watching.words() * PER_WORD;
    const isHere = this.#wasVisible && !this.#onBreak;
    const passed = now - this.#lastTick;
    this.#raw += passed;
    if (isHere && quiet < this.#limit) this.#milliseconds += Math.min(passed, 2 * TICK);
    if (isHere && quiet >= this.#limit) this.#idleSet(true);
    this.#lastTick = now;
    this.#wasVisible = document.visibilityState === "visible";
  };
}
