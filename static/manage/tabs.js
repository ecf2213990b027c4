// On a narrow page the tabs scroll sideways: the current one is brought into view.
const current = document.querySelector(".tabs [aria-current]");
current?.parentElement.scrollTo({ left: current.offsetLeft - current.parentElement.offsetLeft - 24 });
