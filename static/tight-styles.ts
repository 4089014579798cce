import type { Plugin } from "vite";

const LITERAL = /\bcss`([^`]*)`/g;
const COMMENT = /\/\*[\s\S]*?\*\//g;
/** Marks that need no room around them; braces of what is put in (`${…}`) are none. */
const MARK = /\s*(;|,|>|(?<!\$)\{|(?<!\$\{[^}]*)\})\s*/g;
/** Nor does a property need room before its value, or the last one of a rule an end; a selector has no room after its colon. */
const REST: readonly (readonly [RegExp, string])[] = [
  [/:\s+/g, ":"],
  [/;\}/g, "}"],
  [/(?<![\w.])0\.(?=\d)/g, "."],
  [/\s+/g, " "],
];

/** The same source, with its style sheets (``css`…` ``) as they are sent: without comments, breaks and indentation. */
export const tighten = (source: string): string =>
  source.replace(LITERAL, (_, rules: string) => {
    const tight = rules.replace(COMMENT, "").replace(MARK, "$1");
    return `css\`${REST.reduce((text, [loose, kept]) => text.replace(loose, kept), tight).trim()}\``;
  });

/** Sends style sheets without what is there for who reads the source: a fiftieth of the script of a page. */
export const tightStyles = (): Plugin => ({
  name: "tight-styles",
  apply: "build",
  enforce: "pre",
  transform: (source, id) => (id.includes("/src/") && source.includes("css`") ? { code: tighten(source), map: null } : null),
});
