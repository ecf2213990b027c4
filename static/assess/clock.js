// Active seconds: time in which the page is visible, the assessor has done something within the last minute, and no
// break is on.

const IDLE = 60000; // milliseconds without a sign of life
const TICK = 1000;
const SIGNS = ["pointermove", "pointerdown", "keydown", "scroll", "wheel", "touchmove"];

export class Clock {
  /** @type {number} */
  #milliseconds;
  #lastTick = performance.now();
  #lastSign = performance.now();
  #wasVisible = document.visibilityState === "visible";
  #onBreak = false;
  /** @type {ReturnType<typeof setInterval>} */
  #timer;

  /** @param {number} seconds that were counted before */
  constructor(seconds) {
    this.#milliseconds = seconds * 1000;
    for (const sign of SIGNS) document.addEventListener(sign, this.#sign, { capture: true, passive: true });
    document.addEventListener("visibilitychange", this.#tick);
    this.#timer = setInterval(this.#tick, TICK);
  }

  get seconds() {
    this.#tick();
    return Math.round(this.#milliseconds) / 1000;
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
    document.removeEventListener("visibilitychange", this.#tick);
    for (const sign of SIGNS) document.removeEventListener(sign, this.#sign, { capture: true });
  }

  #sign = () => {
    this.#tick();
    this.#lastSign = performance.now();
  };

  // What counts is the state during the time that has passed, so the visibility before this tick, not after it. A
  // tick that comes late was held up by a sleeping computer; only a tick's worth of that can have been work.
  #tick = () => {
    const now = performance.now();
    const isActive = this.#wasVisible && !this.#onBreak && now - this.#lastSign < IDLE;
    if (isActive) this.#milliseconds += Math.min(now - this.#lastTick, 2 * TICK);
    this.#lastTick = now;
    this.#wasVisible = document.visibilityState === "visible";
  };
}
