// Stage 1: an abstract, a box for each heading, with its words counted.

import { element, elements } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";

/** @import { Missing, Mount } from "../page" */
/** @import { Answer, Content } from "./page.js" */

/** @type {Mount<Content, Answer>} */
export function abstract(root, { content, answer }, page) {
  const headings = content.headings ?? [];
  const boxes = elements(root, "[data-heading]").map((box, index) => ({
    ...headings[index],
    isNeeded: index === 0 || headings[index].needed,
    area: element(box, "textarea", HTMLTextAreaElement),
    count: element(box, ".count"),
    problem: element(box, ".problem"),
  }));
  const hint = element(root, "#hint");
  const isLast = content.last === 1;
  let isWarned = false;

  for (const box of boxes) {
    box.area.value = answer.abstract?.[box.name] ?? "";
    box.area.addEventListener("input", () => {
      isWarned = false;
      hint.textContent = "";
      box.problem.textContent = "";
      box.area.removeAttribute("aria-invalid");
      count();
      page.changed();
    });
  }
  element(root, "[data-task]").addEventListener("keydown", (event) => {
    if (!(event instanceof KeyboardEvent) || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (!event.repeat) next();
  });
  element(root, "[data-primary]").addEventListener("click", next);
  count();

  /** @param {string} text */
  function wordsIn(text) {
    return text.trim().split(/\s+/u).filter(Boolean).length;
  }

  function count() {
    let all = 0;
    for (const { area, count: shown, words: limit } of boxes) {
      const n = wordsIn(area.value);
      all += n;
      shown.textContent = limit
        ? ngettext("{count} of {n} word", "{count} of {n} words", limit, { count: n })
        : ngettext("{n} word", "{n} words", n);
      shown.classList.toggle("over", limit > 0 && n > limit);
    }
    element(root, "#standing").textContent = ngettext("{n} word", "{n} words", all);
  }

  /** @returns {Missing[]} what keeps the abstract from being closed */
  function lacking() {
    return boxes.flatMap(({ name, title, words: limit, area, isNeeded }) => {
      const n = wordsIn(area.value);
      if (!n && isNeeded)
        return [{ field: name, message: gettext("Write something under “{heading}”.", { heading: title }) }];
      if (!limit || n <= limit) return [];
      const values = { heading: title, words: n, limit };
      return [{ field: name, message: gettext("“{heading}” is too long. Words: {words}; at most {limit}.", values) }];
    });
  }

  /** What cannot be undone is asked for twice: the first time warns. */
  function next() {
    const missing = lacking();
    if (missing.length) {
      show(missing);
      return page.announce(missing[0].message);
    }
    if (isLast) return page.submit();
    if (isWarned) return page.confirm();
    isWarned = true;
    hint.textContent = gettext("You cannot change the abstract afterwards. Once more to go on.");
    return page.announce(hint.textContent);
  }

  /** @param {Missing[]} missing */
  function show(missing) {
    // Something of another stage: another device has gone on, and this one follows.
    const [first] = missing;
    const at = boxes.find(({ name }) => name === first.field);
    if (!at) return window.location.reload();
    for (const { field, message } of missing) {
      const box = boxes.find(({ name }) => name === field);
      if (!box) continue;
      box.problem.textContent = message;
      box.area.setAttribute("aria-invalid", "true");
    }
    return at.area.focus();
  }

  /** @param {string} name */
  function key(name) {
    if (name !== "Enter") return false;
    next();
    return true;
  }

  return {
    answer: () => ({
      abstract: Object.fromEntries(boxes.map(({ name, area }) => [name, area.value])),
      stage: 1,
      extract: [],
      links: {},
      back: false,
    }),
    key,
    keys: [["Ctrl ⏎", isLast ? page.submitWord : gettext("go on to the lines")]],
    show,
    closes: true,
  };
}
