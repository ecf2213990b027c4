// The strip above a preview: from item to item. The page's address says which item is shown, also after a submit.
(function () {
  "use strict";
  const strip = document.querySelector(".preview-strip");
  const buttons = Array.from(strip.querySelectorAll("[data-step]"));
  const place = () => Number(location.pathname.match(/(\d+)\/$/)[1]);
  const target = (button) => place() + Number(button.dataset.step);
  const exists = (number) => number >= 1 && number <= Number(strip.dataset.total);

  function update() {
    strip.querySelector("[data-place]").textContent = `Item ${place()} of ${strip.dataset.total}`;
    for (const button of buttons) button.disabled = !exists(target(button));
  }

  for (const button of buttons) {
    button.addEventListener("click", () => {
      location.assign(location.pathname.replace(/\d+\/$/, `${target(button)}/`));
    });
  }
  // The next item comes into the same page; its address follows a moment later.
  document.addEventListener("touchstone:swapped", () => setTimeout(update));
  update();
})();
