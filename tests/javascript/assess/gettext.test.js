import { beforeEach, expect, test, vi } from "vitest";

/**
 * The words of a page that brings these translations along.
 *
 * @param {string} language
 * @param {object} translations
 */
async function spoken(language, translations) {
  document.documentElement.lang = language;
  document.body.innerHTML = `<script id="words" type="application/json">${JSON.stringify(translations)}</script>`;
  vi.resetModules();
  return import("../../../static/assess/gettext.js");
}

beforeEach(() => {
  document.body.innerHTML = "";
});

test("what has no translation is said in English, with its values", async () => {
  const { gettext, ngettext } = await spoken("en", {});
  expect(gettext("page {at} of {total}", { at: 2, total: 7 })).toBe("page 2 of 7");
  expect(gettext("{a} and {b}", { a: "{b}", b: "x" })).toBe("{b} and x");
  expect([1, 2].map((n) => ngettext("{n} error", "{n} errors", n))).toEqual(["1 error", "2 errors"]);
});

test("French takes the singular for nothing, as its catalogues do", async () => {
  const { ngettext } = await spoken("fr", { "{n} error": ["{n} erreur", "{n} erreurs"] });
  expect([0, 1, 2, 1000000].map((n) => ngettext("{n} error", "{n} errors", n))).toEqual([
    "0 erreur",
    "1 erreur",
    "2 erreurs",
    "1000000 erreurs",
  ]);
});

test("Arabic has six forms of a number, in the order of its catalogues", async () => {
  const { ngettext } = await spoken("ar", { "{n} x": ["zero", "one", "two", "few", "many", "other"] });
  // CLDR's rules for Arabic: 3–10 few, 11–99 many, 100–102 other.
  const forms = [0, 1, 2, 3, 10, 11, 99, 100, 102, 103].map((n) => ngettext("{n} x", "{n} x", n));
  expect(forms).toEqual(["zero", "one", "two", "few", "few", "many", "many", "other", "other", "few"]);
});

test("Chinese has one form, and German keeps the capitals of headings", async () => {
  const chinese = await spoken("zh-hans", { "{n} error": ["{n} 个错误"] });
  expect(chinese.ngettext("{n} error", "{n} errors", 5)).toBe("5 个错误");
  const german = await spoken("de", {});
  expect(german.lower("Angemessenheit")).toBe("Angemessenheit");
  expect(german.numberWords(0.5)).toBe("0,5");
  expect(german.listWords(["A", "B", "C"])).toBe("A, B und C");
});
