// Cross comprehension: authors write a summary and questions; judges say what a summary gives.

export function mount(root, data, page) {
  return data.content.phase === "authoring" ? authoring(root, data, page) : judging(root, data, page);
}

function authoring(root, { content, answer }, page) {
  const one = (selector) => root.querySelector(selector);
  const summary = one("#summary");
  const list = one("[data-questions]");
  const pattern = one("[data-question]");
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
  one("[data-add]").addEventListener("click", () => {
    add().querySelector("input").focus();
    page.changed();
  });

  function add(question = {}) {
    const row = pattern.content.firstElementChild.cloneNode(true);
    const number = list.children.length + 1;
    for (const part of ["question", "answer"]) {
      const field = row.querySelector(`[data-part=${part}]`);
      const input = field.querySelector("input");
      input.id = `${part}-${number}`;
      input.value = question[part] ?? "";
      field.querySelector("label").htmlFor = input.id;
      field.querySelector("label").textContent = part === "question" ? `Question ${number}` : "Answer, as your summary gives it";
      const hint = field.querySelector(".hint");
      hint.id = `${input.id}-hint`;
      input.setAttribute("aria-describedby", hint.id);
    }
    list.append(row);
    one("[data-add]").disabled = list.children.length >= content.questions_max;
    return row;
  }

  function count() {
    const length = [...summary.value.trim()].length;
    one("[data-count]").textContent = `${length} of about ${content.target}`;
    one("[data-count]").classList.toggle("problem", length > content.target * 1.5);
  }

  function hints() {
    return [...root.querySelectorAll(".asking .hint"), one("#summary-hint")];
  }

  function hintsClear() {
    for (const hint of hints()) {
      if (!hint.classList.contains("problem")) continue;
      hint.classList.remove("problem");
      hint.textContent = hint.id === "summary-hint" ? `About ${content.target} characters.` : "";
    }
  }

  /** The field that a name such as ``questions.1.answer`` means. */
  function fieldOf(name) {
    const [what, index, part] = name.split(".");
    if (what !== "questions") return one("[data-field=summary]");
    return list.children[Number(index ?? 0)]?.querySelector(`[data-part=${part ?? "question"}]`) ?? list;
  }

  function show(missing) {
    hintsClear();
    for (const { field, message } of missing) {
      const hint = fieldOf(field).querySelector(".hint");
      hint.classList.add("problem");
      hint.textContent = message;
    }
    const first = fieldOf(missing[0].field).querySelector("textarea, input");
    first.focus();
    first.scrollIntoView({ block: "center" });
  }

  count();
  return {
    key: () => false,
    keys: [["Ctrl ⏎", "submit"]],
    answer: () => ({
      summary: summary.value,
      questions: [...list.children].map((row) => ({
        question: row.querySelector("[data-part=question] input").value,
        answer: row.querySelector("[data-part=answer] input").value,
      })),
    }),
    show,
  };
}

function judging(root, { content, answer }, page) {
  const inputs = [...root.querySelectorAll("input[name=choice]")];
  const typed = root.querySelector("#typed");
  const hint = root.querySelector("#hint");
  let choice = answer.choice ?? null;

  for (const [index, input] of inputs.entries()) {
    input.checked = content.choices[index].value === choice;
    input.addEventListener("change", () => choose(index));
  }
  if (typed) {
    typed.value = answer.typed ?? "";
    typed.addEventListener("input", () => page.changed());
    typed.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      next();
    });
  }
  root.querySelector("[data-primary]").addEventListener("click", next);

  function choose(index) {
    choice = content.choices[index].value;
    inputs[index].checked = true;
    say("");
    page.changed();
  }

  function say(message) {
    hint.classList.toggle("problem", Boolean(message));
    hint.textContent = message;
  }

  function next() {
    if (choice !== null) return page.submit();
    show([{ message: "Choose what the summary gives." }]);
    return page.announce("Choose what the summary gives.");
  }

  function show(missing) {
    say(missing[0].message);
    inputs[0].focus();
  }

  function key(name) {
    const index = Number(name) - 1;
    if (name === "Enter") next();
    else if (/^[1-9]$/.test(name) && inputs[index]) {
      choose(index);
      inputs[index].focus();
    } else return false;
    return true;
  }

  return {
    key,
    keys: [["1 … 4", "relevant, partially relevant, irrelevant, not found"]],
    answer: () => ({ choice, typed: typed?.value ?? "" }),
    show,
  };
}
