// Cross comprehension: authors write a summary and questions; judges say what a summary gives.

import { element, elements } from "../../assess/dom.js";
import { gettext, ngettext } from "../../assess/gettext.js";
import { lineField } from "../../assess/line_field.js";
import { oneChoice } from "../../assess/one_choice.js";

/** @import { Missing, Mount } from "../page" */

/** @typedef {{ question: string, answer: string }} Question */

/**
 * @typedef {object} AuthoringContent
 * @property {"authoring"} phase
 * @property {number} target characters that a summary should have
 * @property {number} questions_min
 * @property {number} questions_max
 */

/** @typedef {{ phase: "judging", choices: { value: number, label: string }[] }} JudgingContent */
/** @typedef {{ summary: string, questions: Question[] }} Authored */
/** @typedef {{ choice: number | null, typed: string }} Judged */

const PARTS = /** @type {const} */ (["question", "answer"]);

/** @type {Mount<any, any>} */
export function mount(root, data, page) {
  return data.content.phase === "authoring" ? authoring(root, data, page) : judging(root, data, page);
}

/** @type {Mount<AuthoringContent, Authored>} */
function authoring(root, { content, answer }, page) {
  const one = (/** @type {string} */ selector) => element(root, selector);
  const summary = element(root, "#summary", HTMLTextAreaElement);
  const list = one("[data-questions]");
  const pattern = element(root, "[data-question]", HTMLTemplateElement);
  const adder = element(root, "[data-add]", HTMLButtonElement);
  summary.value = answer.summary ?? "";
  for (const question of answer.questions ?? []) add(question);
  while (list.children.length < content.questions_min) add();

  root.addEventListener("input", () => {
    count();
    hintsClear();
    page.changed();
  });
  // Enter makes a new line in a summary, so that here submitting takes Ctrl (or ⌘) as well.
  root.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      page.submit();
    }
  });
  one("[data-primary]").addEventListener("click", () => page.submit());
  adder.addEventListener("click", () => {
    element(add(), "textarea").focus();
    page.changed();
  });

  /**
   * @param {Partial<Question>} [question]
   * @returns {HTMLElement}
   */
  function add(question = {}) {
    const row = /** @type {HTMLElement} */ (element(pattern.content, "*").cloneNode(true));
    for (const part of PARTS) {
      const field = lineField(element(row, `[data-part=${part}] textarea`, HTMLTextAreaElement));
      field.value = question[part] ?? "";
    }
    element(row, "[data-remove]").addEventListener("click", () => remove(row));
    list.append(row);
    number();
    return row;
  }

  /** @param {HTMLElement} row */
  function remove(row) {
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    number();
    if (next) element(next, "textarea").focus();
    page.announce(gettext("Question removed."));
    page.changed();
  }

  /** Every field has a name of its own, whatever was added or removed. */
  function number() {
    const rows = elements(list, ".asking");
    for (const [index, row] of rows.entries()) {
      for (const part of PARTS) {
        const field = element(row, `[data-part=${part}]`);
        const input = element(field, "textarea", HTMLTextAreaElement);
        const label = element(field, "label", HTMLLabelElement);
        input.id = `${part}-${index + 1}`;
        label.htmlFor = input.id;
        label.textContent =
          part === "question"
            ? gettext("Question {number}", { number: index + 1 })
            : gettext("Answer {number}, as your summary gives it", { number: index + 1 });
        const hint = element(field, ".hint");
        hint.id = `${input.id}-hint`;
        input.setAttribute("aria-describedby", hint.id);
      }
      const remover = element(row, "[data-remove]");
      remover.textContent = gettext("Remove question {number}", { number: index + 1 });
      remover.hidden = rows.length <= content.questions_min;
    }
    adder.disabled = rows.length >= content.questions_max;
  }

  function count() {
    const length = [...summary.value.trim()].length;
    one("[data-count]").textContent = gettext("{length} of about {target}", { length, target: content.target });
    one("[data-count]").classList.toggle("problem", length > content.target * 1.5);
  }

  function hints() {
    return [...elements(root, ".asking .hint"), one("#summary-hint")];
  }

  function hintsClear() {
    for (const hint of hints()) {
      if (!hint.classList.contains("problem")) continue;
      hint.classList.remove("problem");
      hint.textContent =
        hint.id === "summary-hint" ? ngettext("About {n} character.", "About {n} characters.", content.target) : "";
    }
    for (const field of root.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  }

  /**
   * The field that a name such as ``questions.1.answer`` means.
   *
   * @param {string} name
   * @returns {Element}
   */
  function fieldOf(name) {
    const [what, index, part] = name.split(".");
    if (what !== "questions") return one("[data-field=summary]");
    return list.children[Number(index ?? 0)]?.querySelector(`[data-part=${part ?? "question"}]`) ?? list;
  }

  /** @param {Missing[]} missing */
  function show(missing) {
    hintsClear();
    for (const { field, message } of missing) {
      const hint = element(fieldOf(field), ".hint");
      hint.classList.add("problem");
      hint.textContent = message;
      fieldOf(field).querySelector("textarea")?.setAttribute("aria-invalid", "true");
    }
    const first = element(fieldOf(missing[0].field), "textarea");
    first.focus();
    first.scrollIntoView({ block: "center" });
  }

  count();
  return {
    key: () => false,
    keys: [["Ctrl ⏎", gettext("submit")]],
    answer: () => ({
      summary: summary.value,
      questions: [...list.children].map((row) => ({
        question: element(row, "[data-part=question] textarea", HTMLTextAreaElement).value,
        answer: element(row, "[data-part=answer] textarea", HTMLTextAreaElement).value,
      })),
    }),
    show,
  };
}

/** @type {Mount<JudgingContent, Judged>} */
function judging(root, { content, answer }, page) {
  const [typed] = elements(root, "#typed", HTMLInputElement);
  const ask = gettext("Choose what the summary gives.");
  const question = oneChoice(root, { name: "choice", choices: content.choices, value: answer.choice, ask }, page);
  if (typed) {
    typed.value = answer.typed ?? "";
    typed.addEventListener("input", () => page.changed());
    typed.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      question.next();
    });
  }
  return {
    key: question.key,
    keys: question.keys,
    answer: () => ({ choice: question.chosen(), typed: typed?.value ?? "" }),
    show: question.show,
  };
}
