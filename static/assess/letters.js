// Letters for the units of a text that are marked by keys: a … z, then aa, ab …

const LETTERS = 26;

/**
 * The name of a unit, as the server writes it too: a … z, then aa, ab …, zz, aaa …
 *
 * @param {number} index
 * @returns {string}
 */
export function letter(index) {
  const before = Math.floor(index / LETTERS);
  return (before ? letter(before - 1) : "") + String.fromCharCode(97 + (index % LETTERS));
}

/**
 * The unit that a name means; -1 if there is none.
 *
 * @param {string} name
 * @param {number} count
 */
export function unitNamed(name, count) {
  return Array.from({ length: count }, (_, index) => letter(index)).indexOf(name.toLowerCase());
}

/** @param {Iterable<number>} marks */
export function lettersOf(marks) {
  return [...marks]
    .sort((a, b) => a - b)
    .map(letter)
    .join(", ");
}

/** Names as they are typed: with more units than a … z and aa … az, a letter with Shift begins a name of two. */
export class Typed {
  /** The first letter of a name such as "bc". */
  prefix = "";

  /** @param {number} count of units */
  constructor(count) {
    this.count = count;
    this.isLong = count > 2 * LETTERS;
  }

  /**
   * The unit that a letter means.
   *
   * @param {string} name
   * @param {boolean} isShifted
   * @returns {number | null} null while a name is begun
   */
  unit(name, isShifted) {
    const typed = name.toLowerCase();
    if (this.prefix) {
      const unit = unitNamed(this.prefix + typed, this.count);
      this.prefix = "";
      return unit;
    }
    if (isShifted && this.isLong) {
      this.prefix = typed;
      return null;
    }
    return unitNamed(isShifted ? `a${typed}` : typed, this.count);
  }
}
