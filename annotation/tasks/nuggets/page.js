// Nuggets: the key of a question is made of all answers (key.js), and responses are judged by it (judging.js).

import { judging } from "./judging.js";
import { keyMaking } from "./key.js";

/** @import { Mount } from "../page" */

/** @type {Mount<any, any>} */
export function mount(root, data, page) {
  return data.content.phase === "key" ? keyMaking(root, data, page) : judging(root, data, page);
}
