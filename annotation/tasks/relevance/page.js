// Relevance prediction: two choices and submit. What is submitted stays.

export function mount(root, { content, answer }, page) {
  const inputs = [...root.querySelectorAll("input[name=relevant]")];
  const hint = root.querySelector("#hint");
  const plain = hint.textContent;
  let relevant = answer.relevant ?? null;

  for (const [index, input] of inputs.entries()) {
    input.checked = content.choices[index].value === relevant;
    input.addEventListener("change", () => choose(index));
  }
  root.querySelector("[data-primary]").addEventListener("click", next);

  function choose(index) {
    relevant = content.choices[index].value;
    inputs[index].checked = true;
    say("");
    page.changed();
  }

  function say(message) {
    hint.classList.toggle("problem", Boolean(message));
    hint.textContent = message || plain;
  }

  function next() {
    if (relevant !== null) return page.submit();
    show([{ message: "Choose relevant or not relevant." }]);
    return page.announce("Choose relevant or not relevant.");
  }

  function show(missing) {
    say(missing[0].message);
    inputs[0].focus();
  }

  function key(name) {
    if (name === "Enter") next();
    else if (name === "1" || name === "2") {
      choose(Number(name) - 1);
      inputs[Number(name) - 1].focus();
    } else return false;
    return true;
  }

  return {
    key,
    keys: [["1 2", "relevant, not relevant"]],
    answer: () => ({ relevant }),
    show,
  };
}
