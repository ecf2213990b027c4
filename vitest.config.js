import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  // As browsers see them, the rooms of the kinds stand under static/tasks.
  resolve: {
    alias: [
      { find: /^\.\.\/\.\.\/assess\//, replacement: fileURLToPath(new URL("./static/assess/", import.meta.url)) },
    ],
  },
  test: { environment: "jsdom", pool: "vmThreads", include: ["tests/javascript/**/*.test.js"] },
});
