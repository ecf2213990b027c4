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
 * Which words of two texts are in the other too, in the same order: for the first text, and for the second.
 *
 * @param {string[]} mine
 * @param {string[]} yours
 * @returns {[boolean[], boolean[]]}
 */
export function shared(mine, yours) {
  if (mine.length > LONGEST || yours.length > LONGEST) {
    const [here, there] = [new Set(mine), new Set(yours)];
    return [mine.map((word) => there.has(word)), yours.map((word) => here.has(word))];
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
  /** @type {[boolean[], boolean[]]} */
  const are = [new Array(mine.length).fill(false), new Array(yours.length).fill(false)];
  for (let m = 0, y = 0; m < mine.length && y < yours.length; ) {
    if (mine[m] === yours[y]) {
      are[0][m++] = true;
      are[1][y++] = true;
    } else if (longest[(m + 1) * width + y] >= longest[m * width + y + 1]) m++;
    else y++;
  }
  return are;
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
  const isElsewhere = said.map((words) => words.map(() => false));
  for (let one = 0; one < said.length; one++) {
    for (let other = one + 1; other < said.length; other++) {
      const [mine, yours] = shared(said[one], said[other]);
      for (const word of mine.keys()) isElsewhere[one][word] ||= mine[word];
      for (const word of yours.keys()) isElsewhere[other][word] ||= yours[word];
    }
  }
  return pieces.map((all, index) => {
    /** @type {{ text: string, isOwn: boolean }[]} */
    const parts = [];
    let space = ""; // belongs to what stands on both sides of it, if that is the same
    let word = 0;
    for (const piece of all) {
      if (!piece.trim()) {
        space += piece;
        continue;
      }
      const isOwn = !isElsewhere[index][word];
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
