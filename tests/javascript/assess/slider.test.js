import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { element } from "../../../static/assess/dom.js";
import { sliderMount } from "../../../static/assess/slider.js";
import { timeFake } from "../time.js";

/** @type {number[]} */
let changes;
/** @type {HTMLElement} */
let row;

/**
 * @param {{ low: number, high: number }} [range]
 * @param {{ value?: number | null, disabled?: boolean }} [state]
 */
function mounted(range = { low: 0, high: 100 }, { value = null, disabled = false } = {}) {
  return sliderMount(row, range, { value, disabled, changed: (wanted) => changes.push(wanted) });
}

/** @param {string} key */
function press(key) {
  const shiftKey = key.startsWith("Shift+");
  const name = key.replace("Shift+", "");
  const event = new KeyboardEvent("keydown", { key: name, shiftKey, bubbles: true, cancelable: true });
  element(row, ".slider").dispatchEvent(event);
  return event.defaultPrevented;
}

const shown = () => element(row, ".slider-value").textContent;

beforeEach(() => {
  timeFake();
  changes = [];
  document.body.innerHTML = `
    <div class="row">
      <div class="slider" tabindex="0"><div class="track"></div><div class="thumb"></div></div>
      <output class="slider-value"></output>
    </div>`;
  row = element(document, ".row");
});

afterEach(() => {
  vi.useRealTimers();
});

describe("before it is touched", () => {
  test("no thumb suggests a position, and that is said", () => {
    mounted();
    expect(element(row, ".thumb").hidden).toBe(true);
    expect(shown()).toBe("–");
    expect(element(row, ".slider").getAttribute("aria-valuetext")).toBe("not chosen yet");
    expect(element(row, ".slider").hasAttribute("aria-valuenow")).toBe(false);
  });

  test("zero is a position like any other", () => {
    mounted(undefined, { value: 0 });
    expect(element(row, ".thumb").hidden).toBe(false);
    expect(shown()).toBe("0");
  });
});

describe("keys", () => {
  test.each([
    ["ArrowRight", 51],
    ["ArrowUp", 51],
    ["ArrowLeft", 49],
    ["ArrowDown", 49],
    ["Shift+ArrowUp", 60],
    ["Shift+ArrowLeft", 40],
    ["Shift+Home", 0],
    ["Shift+End", 100],
  ])("%s starts from the middle and goes to %i", (key, value) => {
    mounted();
    expect(press(key)).toBe(true);
    expect(changes).toEqual([value]);
    expect(shown()).toBe(String(value));
  });

  test("go no further than the ends", () => {
    mounted(undefined, { value: 100 });
    press("ArrowRight");
    press("Shift+ArrowUp");
    expect(changes).toEqual([]);
  });

  test.each(["PageUp", "PageDown", "Home", "End"])("%s is left to the text and changes nothing", (key) => {
    mounted(undefined, { value: 30 });
    expect(press(key)).toBe(false);
    expect(changes).toEqual([]);
  });

  test("take a hundredth of a short range for one step", () => {
    mounted({ low: 0, high: 1 }, { value: 0.1 });
    press("ArrowRight");
    press("ArrowRight");
    expect(changes).toEqual([0.11, 0.12]);
  });

  test("do nothing to a slider that is fixed", () => {
    const slider = mounted(undefined, { value: 30, disabled: true });
    expect(press("ArrowRight")).toBe(false);
    slider.type("7");
    expect(changes).toEqual([]);
    expect(element(row, ".slider").tabIndex).toBe(-1);
  });
});

describe("a typed number", () => {
  test("grows digit by digit as far as the range lets it", () => {
    const slider = mounted();
    for (const digit of "100") slider.type(digit);
    expect(changes).toEqual([1, 10, 100]);
    slider.type("5"); // 1005 is too much, so a new number begins
    expect(changes.at(-1)).toBe(5);
  });

  test("ends two seconds after its last digit", () => {
    const slider = mounted();
    slider.type("4");
    vi.advanceTimersByTime(1999);
    slider.type("2");
    expect(changes.at(-1)).toBe(42);
    vi.advanceTimersByTime(2000);
    slider.type("7");
    expect(changes.at(-1)).toBe(7);
  });

  test("is ended by Enter, which says whether there was one", () => {
    const slider = mounted();
    expect(slider.settle()).toBe(false);
    slider.type("4");
    expect(slider.settle()).toBe(true);
    slider.type("2");
    expect(changes.at(-1)).toBe(2);
  });
});
