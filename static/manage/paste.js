// What is pasted goes with the form, which a server takes only up to a size; much of it goes as a file.
const MUCH = 500_000; // characters

for (const field of /** @type {NodeListOf<HTMLTextAreaElement>} */ (
  document.querySelectorAll("textarea[name=pasted]")
)) {
  const form = /** @type {HTMLFormElement} */ (field.form);
  const files = /** @type {HTMLInputElement} */ (form.elements.namedItem("tables"));
  form.addEventListener("submit", () => {
    if (field.value.length < MUCH || files.files?.length) return;
    const parcel = new DataTransfer();
    parcel.items.add(new File([field.value], "pasted"));
    files.files = parcel.files;
    field.value = "";
  });
}
