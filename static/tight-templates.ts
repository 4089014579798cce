import type { Plugin } from "vite";

/** A break between two tags or values; at either end of a piece of a template stands a value. */
const BETWEEN = /(^|>)\s*\n\s*(?=<|$)/g;
/** Any other break, between attributes or words. */
const BREAK = /\s*\n\s*/g;

/**
 * A piece of a template as it is sent. In a drawing no break between tags is seen, yet each would become a node of text: one in
 * five nodes of a card. Among words a break is a space.
 */
export const tightenPiece = (kind: string, piece: string): string =>
  (kind === "svg" ? piece.replace(BETWEEN, "$1") : piece).replace(BREAK, " ");

interface Piece {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** The pieces of all templates in a syntax tree (ESTree). */
function piecesOf(tree: unknown): Piece[] {
  if (Array.isArray(tree)) return tree.flatMap(piecesOf);
  if (typeof tree !== "object" || tree === null) return [];
  const { type, tag, quasi } = tree as { type?: string; tag?: { name?: string }; quasi?: { quasis: Piece[] } };
  const kind = tag?.name ?? "";
  const own = type === "TaggedTemplateExpression" && ["html", "svg"].includes(kind) ? (quasi?.quasis ?? []) : [];
  return [...own.map(({ start, end }) => ({ kind, start, end })), ...Object.values(tree).flatMap(piecesOf)];
}

/** Sends templates (``html`…` `` and ``svg`…` ``) without the breaks and the indentation that are there for who reads the source. */
export const tightTemplates = (): Plugin => ({
  name: "tight-templates",
  apply: "build",
  transform(source, id) {
    if (!/\/src\/.*\.ts$/.test(id)) return null;
    const pieces = piecesOf(this.parse(source)).sort((a, b) => b.start - a.start);
    const code = pieces.reduce(
      (text, { kind, start, end }) =>
        text.slice(0, start) + tightenPiece(kind, text.slice(start, end)) + text.slice(end),
      source,
    );
    return { code, map: null };
  },
});
