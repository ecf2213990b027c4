import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Clock } from "../../../static/assess/clock.js";
import { timeFake, visibilitySet } from "../time.js";

const MINUTE = 60_000;

/** @type {Clock} */
let clock;

function sign() {
  document.dispatchEvent(new Event("keydown"));
}

beforeEach(() => {
  timeFake();
  visibilitySet("visible");
  clock = new Clock(0);
});

afterEach(() => {
  clock.stop();
  vi.useRealTimers();
});

describe("the limit of idling", () => {
  test("follows the words on the screen, and then the page is told", () => {
    clock.stop();
    /** @type {boolean[]} */
    const told = [];
    clock = new Clock(0, { words: () => 250, idle: (isIdle) => told.push(isIdle) });
    vi.advanceTimersByTime(100_000);
    expect([clock.seconds, told]).toEqual([100, []]);
    vi.advanceTimersByTime(600_000);
    expect(clock.seconds).toBe(159);
    expect(told).toEqual([true]);
    sign();
    expect(told).toEqual([true, false]);
  });

  test("does not touch the raw seconds, in which breaks count too", () => {
    clock.stop();
    clock = new Clock(5, { raw: 8 });
    clock.pause();
    vi.advanceTimersByTime(10 * MINUTE);
    expect([clock.seconds, clock.rawSeconds]).toEqual([5, 608]);
  });
});

describe("active seconds", () => {
  test("run while the page is seen and somebody is there", () => {
    vi.advanceTimersByTime(40_000);
    sign();
    vi.advanceTimersByTime(40_000);
    expect(clock.seconds).toBe(80);
  });

  test("go on from what was counted before", () => {
    clock.stop();
    clock = new Clock(12.5);
    vi.advanceTimersByTime(3000);
    expect(clock.seconds).toBe(15.5);
  });

  test("end a minute after the last sign of life, and the gap is not made up for", () => {
    vi.advanceTimersByTime(10 * MINUTE);
    const counted = clock.seconds;
    expect(counted).toBeGreaterThan(58);
    expect(counted).toBeLessThanOrEqual(60);
    sign();
    vi.advanceTimersByTime(5000);
    expect(clock.seconds).toBe(counted + 5);
  });

  test.each(["pointermove", "pointerdown", "keydown", "scroll", "wheel", "touchmove"])("see a sign in %s", (name) => {
    vi.advanceTimersByTime(59_000);
    document.body.dispatchEvent(new Event(name)); // bubbles nowhere: the page listens on the way down
    vi.advanceTimersByTime(30_000);
    expect(clock.seconds).toBe(89);
  });

  test("stand still while the page is hidden", () => {
    vi.advanceTimersByTime(5500);
    visibilitySet("hidden");
    vi.advanceTimersByTime(20_000);
    visibilitySet("visible");
    vi.advanceTimersByTime(1500);
    expect(clock.seconds).toBe(7);
  });

  test("stand still during a break, whose end is a sign of life", () => {
    vi.advanceTimersByTime(2000);
    clock.pause();
    vi.advanceTimersByTime(5 * MINUTE);
    clock.resume();
    vi.advanceTimersByTime(50_000);
    expect(clock.seconds).toBe(52);
  });

  test("take two seconds at most from a tick that comes late, as after sleep", () => {
    clock.stop();
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["performance"] }); // time passes, and the interval does not tick
    clock = new Clock(0);
    vi.advanceTimersByTime(30_000);
    expect(clock.seconds).toBe(2);
  });

  test("leave no timer behind when the clock is stopped", () => {
    expect(vi.getTimerCount()).toBe(1);
    clock.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
