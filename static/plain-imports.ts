import type { Plugin } from "vite";

/** Vite's wrapper around every `import()`, which fetches style sheets first; its name is the bundler's. */
const WRAPPER = "\0vite/preload-helper.js";

/** Leaves it away: no style sheet comes with what is loaded later, and the wrapper weighs a hundredth of a page's script. */
export const plainImports = (): Plugin => ({
  name: "plain-imports",
  apply: "build",
  enforce: "pre",
  load: (id) => (id === WRAPPER ? "export const __vitePreload = (load) => load();" : null),
});
