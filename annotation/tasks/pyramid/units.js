// The content units of a pyramid, and what may be done with them. Nothing here knows the page.

import { gettext } from "../../assess/gettext.js";
import { joined, overlaps } from "../../assess/offsets.js";

/** @import { Part } from "../../../static/assess/offsets.js" */

/** @typedef {{ reference: string, parts: Part[] }} Contributor */
/** @typedef {{ id: string, label: string, comment: string, contributors: Contributor[] }} Unit */
/** @typedef {{ scu: string, parts: Part[] }} Match */
/** @typedef {{ scus: Unit[], matches: Match[], outside: Part[][] }} Answer */

/** Why a change cannot be made, for whoever tried. */
export class Refusal extends Error {}

/**
 * Unfinished ones first, and within each the heaviest.
 *
 * @param {Unit[]} units
 */
export function inOrder(units) {
  const isFinished = (/** @type {Unit} */ unit) => Number(Boolean(unit.label.trim()));
  return [...units].sort((a, b) => isFinished(a) - isFinished(b) || b.contributors.length - a.contributors.length);
}

/** @param {{ id: string }[]} units */
export function freeId(units) {
  return String(Math.max(0, ...units.map(({ id }) => Number(id) || 0)) + 1);
}

/**
 * @param {Answer} answer
 * @param {string} id
 */
function unitOf(answer, id) {
  const unit = answer.scus.find((each) => each.id === id);
  if (!unit) throw new Refusal(gettext("Choose a unit first."));
  return unit;
}

/**
 * @param {Answer} answer
 * @param {string} id
 * @param {string} reference
 * @param {Part[]} parts
 * @param {string} name of the model
 */
export function unitAdd(answer, id, reference, parts, name) {
  const unit = unitOf(answer, id);
  if (unit.contributors.some((one) => one.reference === reference)) {
    throw new Refusal(
      gettext("“{label}” has words of {model} already. Add these as a part (P), or choose another unit.", {
        label: unit.label,
        model: name,
      }),
    );
  }
  unit.contributors.push({ reference, parts });
}

/**
 * Further words of the same model for a contributor.
 *
 * @param {Answer} answer
 * @param {string} id
 * @param {number} index
 * @param {string} reference
 * @param {Part} part
 */
export function unitPart(answer, id, index, reference, part) {
  const one = unitOf(answer, id).contributors[index];
  if (!one) throw new Refusal(gettext("Choose the contributor that these words belong to."));
  if (one.reference !== reference) throw new Refusal(gettext("The parts of a contributor are words of one model."));
  one.parts = joined([...one.parts, part]);
}

/**
 * Further words of the text for a match: none that its unit has already, or that are set aside.
 *
 * @param {Answer} answer
 * @param {number} index
 * @param {Part} part
 */
export function matchPart(answer, index, part) {
  const match = answer.matches[index];
  if (answer.matches.some(({ scu, parts }) => scu === match.scu && overlaps(parts, [part]))) {
    throw new Refusal(gettext("These words are matched with this unit already."));
  }
  if (answer.outside.some((parts) => overlaps(parts, [part]))) {
    throw new Refusal(gettext("These words are set aside. Remove them there first."));
  }
  match.parts = joined([...match.parts, part]);
}

/**
 * @param {Answer} answer
 * @param {string} id
 * @param {number} index
 * @param {string} label of the new unit
 */
export function unitSplit(answer, id, index, label) {
  const [one] = unitOf(answer, id).contributors.splice(index, 1);
  answer.scus.push({ id: freeId(answer.scus), label, comment: "", contributors: [one] });
}

/**
 * @param {Answer} answer
 * @param {string} into
 * @param {string} other
 * @param {Record<string, string>} names of models
 */
export function unitJoin(answer, into, other, names) {
  const [one, two] = [unitOf(answer, into), unitOf(answer, other)];
  const both = two.contributors.find(({ reference }) => one.contributors.some((each) => each.reference === reference));
  if (both) {
    throw new Refusal(
      gettext("Both units have words of {model}, and a model contributes once to a unit.", {
        model: names[both.reference] ?? both.reference,
      }),
    );
  }
  one.contributors.push(...two.contributors);
  one.comment = [one.comment, two.comment].filter(Boolean).join(" ");
  answer.scus = answer.scus.filter((unit) => unit !== two);
}
