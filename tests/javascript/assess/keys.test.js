import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { element } from "../../../static/assess/dom.js";
import { listen, singleKeysOn, singleKeysSet } from "../../../static/assess/keys.js";

/** @type {string[]} */
let used;
let isUsed = true;

beforeAll(() => {
  listen({
    task: (key) => {
      used.push(key);
      return isUsed;
    },
    scroll: () => false,
    help: () => {
      used.push("help");
    },
  });
});

beforeEach(() => {
  used = [];
  isUsed = true;
  localStorage.clear();
  document.body.innerHTML = `
    <header>
      <a href="#">Items</a>
      <button id="bar">Keys</button>
      <details class="menu"><summary>Menu</summary><button id="inside">Break</button><p>Words</p></details>
    </header>
    <main>
      <input id="text"><textarea></textarea><select></select><div id="editable" contenteditable="true"></div>
      <input type="radio"><input type="checkbox">
      <button class="unit"></button><button class="choice-button"></button>
      <button data-primary></button><button data-continue></button>
    </main>
    <dialog></dialog>`;
});

/**
 * Press a key on an element; whether the browser's own action was prevented.
 *
 * @param {string} key
 * @param {string} [selector]
 * @param {KeyboardEventInit} [more]
 */
function press(key, selector = "body", more = {}) {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  element(document, selector).dispatchEvent(event);
  return event.defaultPrevented;
}

describe("a key", () => {
  test("that goes to an input method is heard by nobody else, also where Safari says that nothing is composed", () => {
    const field = element(document, "textarea");
    field.addEventListener("keydown", () => used.push("field"));
    press("Enter", "textarea", { keyCode: 229 });
    expect(used).toEqual([]);
    press("Enter", "textarea");
    expect(used).toEqual(["field"]);
  });

  test("goes to the task, and is its alone when it was used", () => {
    expect(press("a")).toBe(true);
    isUsed = false;
    expect(press("ArrowDown")).toBe(false);
    expect(used).toEqual(["a", "ArrowDown"]);
  });

  test("that answers does so once while it is held down; what moves goes on moving", () => {
    for (const key of ["y", "3", "é"]) expect(press(key, "body", { repeat: true })).toBe(true);
    expect(used).toEqual([]);
    for (const key of ["ArrowDown", "]"]) press(key, "body", { repeat: true });
    expect(used).toEqual(["ArrowDown", "]"]);
    expect(press("y", "#text", { repeat: true })).toBe(false);
  });

  test.each(["#text", "textarea", "select", "#editable"])("typed into %s stays there", (selector) => {
    for (const key of ["a", "1", "Enter", "?", " "]) expect(press(key, selector)).toBe(false);
    expect(used).toEqual([]);
    expect(press("F1", selector)).toBe(true); // it types nothing
  });

  test.each(["[type=radio]", "[type=checkbox]"])("on %s goes to the task", (selector) => {
    press("1", selector);
    expect(used).toEqual(["1"]);
  });

  test.each([{ ctrlKey: true }, { metaKey: true }, { altKey: true }, { isComposing: true }])(
    "with %o is the browser's",
    (more) => {
      expect(press("a", "body", more)).toBe(false);
      expect(used).toEqual([]);
    },
  );

  test("does nothing behind a dialog", () => {
    element(document, "dialog").setAttribute("open", "");
    expect(press("Enter")).toBe(false);
    expect(used).toEqual([]);
  });

  test("that somebody has dealt with already is left alone", () => {
    const deal = (/** @type {Event} */ event) => event.preventDefault();
    document.body.addEventListener("keydown", deal);
    press("a");
    document.body.removeEventListener("keydown", deal);
    expect(used).toEqual([]);
  });
});

describe("Enter", () => {
  test("belongs to a link, and space on a link reads on", () => {
    expect(press("Enter", "a")).toBe(false);
    expect(used).toEqual([]);
    press(" ", "a");
    expect(used).toEqual([" "]);
  });

  test.each(["#bar", "summary"])("and space belong to %s when it has the focus", (selector) => {
    expect(press("Enter", selector)).toBe(false);
    expect(press(" ", selector)).toBe(false);
    expect(used).toEqual([]);
  });

  test.each(["[data-primary]", "[data-continue]", ".unit", ".choice-button"])("on %s goes to the task", (selector) => {
    expect(press("Enter", selector)).toBe(true);
    expect(used).toEqual(["Enter"]);
  });

  test("held down goes on only once", () => {
    press("Enter");
    expect(press("Enter", "body", { repeat: true })).toBe(true);
    expect(used).toEqual(["Enter"]);
  });
});

describe("single characters", () => {
  test("act until they are switched off; the others always do", () => {
    expect(singleKeysOn()).toBe(true);
    singleKeysSet(false);
    expect(singleKeysOn()).toBe(false);
    for (const key of ["a", "7", "?", "Enter", " ", "ArrowUp"]) press(key);
    expect(used).toEqual(["Enter", " ", "ArrowUp"]);
    singleKeysSet(true);
    press("a");
    expect(used.at(-1)).toBe("a");
  });

  test("“?” shows the keys", () => {
    expect(press("?")).toBe(true);
    expect(used).toEqual(["help"]);
  });
});

describe("a menu that is open", () => {
  const menu = () => element(document, "details", HTMLDetailsElement);

  beforeEach(() => {
    menu().open = true;
  });

  test("is closed by Escape, which gives the focus back to it", () => {
    press("Escape");
    expect(menu().open).toBe(false);
    expect(document.activeElement).toBe(element(document, "summary"));
    expect(used).toEqual([]);
  });

  test.each([
    ["main", false],
    ["#inside", false],
    ["details p", true],
  ])("after a click on %s is open: %s", (selector, isOpen) => {
    element(document, selector).dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(menu().open).toBe(isOpen);
  });
});
