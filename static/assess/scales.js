// The keys of a scale, the same way round everywhere: a higher digit is more, zero is on 0, and A … E have their letters.

/**
 * @param {{ value: number, label: string }[]} steps
 * @returns {string[]} a key for each step; none where there are more than digits
 */
export function keysOf(steps) {
  const letters = steps.map(({ label }) => /^[a-z](?![\p{L}\p{N}])/iu.exec(label)?.[0].toLowerCase() ?? "");
  if (letters.every(Boolean) && new Set(letters).size === letters.length) return letters;
  const rising = steps.map(({ value }) => value).sort((a, b) => a - b);
  const first = rising[0] === 0 ? 0 : 1;
  return steps.map(({ value }) => {
    const rank = rising.indexOf(value) + first;
    return rank <= 9 ? String(rank) : "";
  });
}

/**
 * The keys for a list of keys: "1 … 5".
 *
 * @param {string[]} keys
 */
export function keyRange(keys) {
  const named = keys.filter(Boolean).sort();
  return named.length > 1 ? `${named[0]} … ${named[named.length - 1]}` : named.join("");
}
