// What only one of several texts says: words that stand in no other text at that place in the order of words.
//
// Texts are compared two by two by their longest common subsequence of words. Scripts without spaces are cut into words by the
// browser.

const LONGEST = 4000; // words; beyond it the table of the comparison would be felt

/**
 * A text as words, spaces and punctuation; joined they are the text again.
 *
 * @param {string} text
 * @param {string} [language]
 * @returns {string[]}
 */
export function wordsOf(text, language) {
  const segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * Which words of the first text are in the second too, in the same order.
 *
 * @param {string[]} mine
 * @param {string[]} yours
 * @returns {boolean[]}
 */
export function shared(mine, yours) {
  if (mine.length > LONGEST || yours.length > LONGEST) {
    const theirs = new Set(yours);
    return mine.map((word) => theirs.has(word));
  }
  const width = yours.length + 1;
  const longest = new Uint16Array((mine.length + 1) * width);
  for (let m = mine.length - 1; m >= 0; m--) {
    for (let y = yours.length - 1; y >= 0; y--) {
      longest[m * width + y] =
        mine[m] === yours[y]
          ? longest[(m + 1) * width + y + 1] + 1
          : Math.max(longest[(m + 1) * width + y], longest[m * width + y + 1]);
    }
  }
  const isShared = new Array(mine.length).fill(false);
  for (let m = 0, y = 0; m < mine.length && y < yours.length; ) {
    if (mine[m] === yours[y]) {
      isShared[m] = true;
      m++;
      y++;
    } else if (longest[(m + 1) * width + y] >= longest[m * width + y + 1]) m++;
    else y++;
  }
  return isShared;
}

/**
 * For each text its parts in order, joined where they belong together, and whether only this text has them.
 *
 * @param {string[]} texts
 * @param {string} [language]
 * @returns {{ text: string, isOwn: boolean }[][]}
 */
export function differences(texts, language) {
  const pieces = texts.map((text) => wordsOf(text, language));
  const said = pieces.map((all) => all.filter((piece) => piece.trim()));
  return pieces.map((all, index) => {
    const others = said.filter((_, other) => other !== index).map((other) => shared(said[index], other));
    /** @type {{ text: string, isOwn: boolean }[]} */
    const parts = [];
    let space = ""; // belongs to what stands on both sides of it, if that is the same
    let word = 0;
    for (const piece of all) {
      if (!piece.trim()) {
        space += piece;
        continue;
      }
      const isOwn = others.every((isShared) => !isShared[word]);
      word++;
      const last = parts.at(-1);
      if (last && last.isOwn === isOwn) last.text += space + piece;
      else {
        if (space) parts.push({ text: space, isOwn: false });
        parts.push({ text: piece, isOwn });
      }
      space = "";
    }
    if (space) parts.push({ text: space, isOwn: false });
    return parts;
  });
}
