// Abstract, extract, links: each stage has a script of its own.

import { abstract } from "./abstract.js";
import { lines } from "./lines.js";
import { links } from "./links.js";

/** @import { Mount } from "../page" */

/**
 * @typedef {object} Answer
 * @property {Record<string, string>} abstract
 * @property {1 | 2 | 3} stage
 * @property {number[]} extract
 * @property {Record<string, string[]>} links
 * @property {boolean} back
 */

/**
 * @typedef {object} Content
 * @property {1 | 2 | 3} stage
 * @property {1 | 2 | 3} last
 * @property {{ number: number, head: boolean }[]} lines
 * @property {{ name: string, title: string, words: number, needed: boolean }[]} [headings]
 * @property {{ id: string }[]} [sentences]
 */

/** @type {Mount<Content, Answer>} */
export function mount(root, data, page) {
  const stages = { 1: abstract, 2: lines, 3: links };
  return stages[data.content.stage](root, data, page);
}
