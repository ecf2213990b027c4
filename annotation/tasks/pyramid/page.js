// Pyramids: one is built of models (building.js), and texts are matched with it (matching.js).

import { building } from "./building.js";
import { matching } from "./matching.js";

/** @import { Mount } from "../page" */

/** @type {Mount<any, any>} */
export function mount(root, data, page) {
  return data.content.phase === "building" ? building(root, data, page) : matching(root, data, page);
}
