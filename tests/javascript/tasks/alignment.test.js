import { beforeEach, describe, expect, it, vi } from "vitest";
import { mount as attribution } from "../../../annotation/tasks/attribution/page.js";
import { mount as see } from "../../../annotation/tasks/see/page.js";
import { element, elements } from "../../../static/assess/dom.js";

// Both ask one question after the other and mark units of another text: by the same keys, in the same words.

const FOOT = `
  <div class="ask"><p data-unit-place></p><p id="question"></p></div>
  <div class="grading" data-grading>
    <p id="hint"></p>
    <div data-scale="grades"><button class="choice-button" data-value="0"><span class="key"></span></button><button
      class="choice-button" data-value="1"><span class="key"></span></button></div>
    <div data-scale="levels"></div>
    <button data-choice="none"><span class="key"></span></button><button data-choice="full"><span class="key"></span></button>
  </div>
  <div class="moves"><button data-move="-1"></button><button data-move="1"></button>
    <button data-primary><span data-label></span></button></div>`;

/** @param {string} name @param {number} first @param {number} count */
function marked(name, first, count) {
  const unit = (/** @type {number} */ n) =>
    `<li><div role="button" class="unit" data-${name}="${first + n}" tabindex="-1"><span class="key"></span>
     <span class="elsewhere"></span></div></li>`;
  return Array.from({ length: count }, (_, n) => unit(n)).join("");
}

/** @param {string[]} steps */
function asked(steps) {
  return steps
    .map(
      (step) =>
        `<li><div role="button" class="unit" ${step}><span class="state"></span><span class="grade"></span></div></li>`,
    )
    .join("");
}

/** @type {string[]} */
let said;
let submitted = 0;
const page = {
  changed: vi.fn(),
  submit: () => {
    submitted += 1;
  },
  confirm: () => {},
  submitWord: "Submit",
  announce: (/** @type {string} */ text) => said.push(text),
};

/** @type {Record<string, () => { root: HTMLElement, task: ReturnType<typeof see> | ReturnType<typeof attribution>, mark: string }>} */
const kinds = {
  see() {
    document.body.innerHTML = `<main><section class="peer"><ol class="units">${marked("peer", 0, 3)}</ol></section>
      <section class="model"><button data-fold></button><ol class="units">${asked(['data-step="units.0"', 'data-step="units.1"'])}</ol></section>
      <section class="see-desk">${FOOT}</section></main>`;
    const content = {
      variant: "duc2001",
      model: ["Alpha.", "Beta."],
      grades: [
        { value: 0, label: "none" },
        { value: 1, label: "all" },
      ],
      levels: [],
      quality: [],
      related: "",
      advance: false,
    };
    const root = element(document, "main");
    return { root, task: see(root, { content, answer: {} }, page), mark: "[data-peer]" };
  },
  attribution() {
    document.body.innerHTML = `<main><section class="peer"><input data-find><span data-found></span><ol class="units">${marked("unit", 1, 3)}</ol></section>
      <section class="model"><button data-fold></button><ol class="units">${asked(['data-sentence="0"', 'data-sentence="1"'])}</ol></section>
      <section class="see-desk">${FOOT}</section></main>`;
    const sentence = { text: "One.", cited: [] };
    /** @type {Parameters<typeof attribution>[1]["content"]} */
    const content = {
      given: "source",
      sentences: [sentence, sentence],
      choices: [
        { name: "none", label: "none", value: 0 },
        { name: "full", label: "full", value: 1 },
      ],
    };
    const root = element(document, "main");
    return { root, task: attribution(root, { content, answer: {} }, page), mark: "[data-unit]" };
  },
};

/** @param {string} name */
const press = (name) => new KeyboardEvent("keydown", { key: name });

beforeEach(() => {
  said = [];
  submitted = 0;
  Element.prototype.scrollIntoView = () => {};
  window.matchMedia = /** @type {typeof window.matchMedia} */ (
    /** @type {unknown} */ (() => ({ matches: false, addEventListener: () => {} }))
  );
});

describe.each(Object.keys(kinds))("%s", (name) => {
  it("marks by letter, and says where else a unit is marked", () => {
    const { root, task, mark } = kinds[name]();
    expect(task.key("b", press("b"))).toBe(true);
    expect(elements(root, mark).map((unit) => unit.getAttribute("aria-pressed"))).toEqual(["false", "true", "false"]);
    expect(said.at(-1)).toBe("b marked");
    expect(task.key("z", press("z"))).toBe(false);
    task.key("ArrowDown", press("ArrowDown"));
    expect(element(elements(root, mark)[1], ".elsewhere").textContent).toBe("→ 1");
    element(root, "[data-partner]").dispatchEvent(new MouseEvent("click", { bubbles: true }));
    expect(element(root, "[data-fold]").textContent).toBe("1 of 2, 0 done");
  });

  it("says what is missing, and goes on only when it is there", () => {
    const { root, task } = kinds[name]();
    task.key("Enter", press("Enter"));
    expect(element(root, "#hint").classList.contains("problem")).toBe(true);
    expect(said.at(-1)).toBe(element(root, "#hint").textContent);
    task.key("a", press("a"));
    const full = name === "see" ? '[data-scale="grades"] [data-value="1"]' : '[data-choice="full"]';
    element(root, full).click();
    expect(element(root, "#hint").classList.contains("problem")).toBe(false);
    task.key("Enter", press("Enter"));
    expect(element(root, "[data-fold]").textContent).toBe("2 of 2, 1 done");
    expect(element(root, '[data-move="1"]', HTMLButtonElement).disabled).toBe(true);
    expect(elements(root, '[aria-current="step"]').length).toBe(1);
    const none = name === "see" ? '[data-scale="grades"] [data-value="0"]' : '[data-choice="none"]';
    element(root, none).click();
    expect(element(root, "[data-label]").textContent).toBe("Submit");
    expect(submitted).toBe(0);
    element(root, "[data-primary]").click();
    expect(submitted).toBe(1);
  });

  it("moves the cursor through the units, and shows what the server misses", () => {
    const { root, task, mark } = kinds[name]();
    const units = elements(root, mark);
    task.key("ArrowRight", press("ArrowRight"));
    expect(document.activeElement).toBe(units[0]);
    task.key("ArrowRight", press("ArrowRight"));
    expect(document.activeElement).toBe(units[1]);
    expect(units.map((unit) => unit.tabIndex)).toEqual([-1, 0, -1]);
    task.show([{ field: name === "see" ? "units.1" : "sentences.1", message: "Not yet." }]);
    expect(element(root, "#hint").textContent).toBe("Not yet.");
    expect(element(root, '[aria-current="step"]')).toBe(document.activeElement);
    expect(element(root, ".state").textContent).toBe("·");
  });
});
