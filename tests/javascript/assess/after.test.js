import { beforeEach, expect, test, vi } from "vitest";
import { element } from "../../../static/assess/dom.js";
import { lookMount } from "../../../static/assess/look.js";
import { restMount } from "../../../static/assess/rest.js";
import { undoMount } from "../../../static/assess/undo.js";

beforeEach(() => {
  vi.useFakeTimers();
  sessionStorage.clear();
  localStorage.clear();
  document.body.innerHTML = `
    <div id="undo" hidden><span data-word></span><button>Undo</button></div>
    <div id="rest" hidden><button data-open="break"></button><button data-not-now></button></div>
    <dialog id="break"></dialog>
    <button data-look="size" data-by="-1"></button><button data-look="size" data-by="1"></button>`;
});

const isShown = (/** @type {string} */ selector) => !element(document, selector).hidden;

test("a submit can be undone for ten seconds, once", () => {
  /** @type {string[]} */
  const taken = [];
  const undo = undoMount((url) => taken.push(url));
  expect(undo.act()).toBe(false);
  undo.offer("/undo/", "Submitted");
  vi.advanceTimersByTime(9900);
  expect(isShown("#undo")).toBe(true);
  expect([undo.act(), undo.act()]).toEqual([true, false]);
  undo.offer("/again/", "Submitted");
  vi.advanceTimersByTime(10000);
  expect([isShown("#undo"), undo.act()]).toEqual([false, false]);
  expect(taken).toEqual(["/undo/"]);
});

test("whoever is on the way to it does not miss it", () => {
  const undo = undoMount(() => {});
  undo.offer("/undo/", "Submitted");
  element(document, "#undo").dispatchEvent(new Event("pointerenter"));
  vi.advanceTimersByTime(60000);
  expect(isShown("#undo")).toBe(true);
  element(document, "#undo").dispatchEvent(new Event("pointerleave"));
  vi.advanceTimersByTime(10000);
  expect(isShown("#undo")).toBe(false);
});

test("after 50 active minutes a break is offered, and again 50 minutes after it is declined", () => {
  const rest = restMount();
  rest.add(2900);
  expect(isShown("#rest")).toBe(false);
  rest.add(200);
  expect(isShown("#rest")).toBe(true);
  element(document, "[data-not-now]").click();
  rest.add(200);
  expect(isShown("#rest")).toBe(false);
  rest.add(3000);
  expect(isShown("#rest")).toBe(true);
});

test("text size is each assessor's own", () => {
  let who = "1";
  lookMount(() => who);
  const size = () => document.documentElement.style.getPropertyValue("--text-reading");
  element(document, "[data-by='1']").click();
  expect(size()).toBe("1.25rem");
  who = "2";
  document.dispatchEvent(new Event("touchstone:swapped"));
  expect(size()).toBe("");
  who = "1";
  document.dispatchEvent(new Event("touchstone:swapped"));
  expect(size()).toBe("1.25rem");
});
