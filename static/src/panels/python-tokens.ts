export type TokenKind = "name" | "keyword" | "number" | "string" | "comment" | "constant" | "plain";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORDS =
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield";
const PATTERN = new RegExp(
  [
    "(?<comment>#.*)",
    `(?<string>[rbfuRBFU]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*'))`,
    "(?<number>\\b(?:\\d[\\d_]*\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?j?\\b\\.?)",
    "(?<constant>\\b(?:True|False|None)\\b)",
    `(?<keyword>\\b(?:${KEYWORDS.replaceAll(" ", "|")})\\b)`,
    "(?<name>\\b[A-Za-z_]\\w*(?:\\.[A-Za-z_]\\w*)*)",
  ].join("|"),
  "g",
);

/** Splits Python source for colouring. For reading only; the editor brings a real parser. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of source.matchAll(PATTERN)) {
    if (match.index > end) tokens.push({ kind: "plain", text: source.slice(end, match.index) });
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] as TokenKind;
    tokens.push({ kind, text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < source.length) tokens.push({ kind: "plain", text: source.slice(end) });
  return tokens;
}

/** Tokens of each line. */
export function tokenLines(source: string): Token[][] {
  const lines: Token[][] = [[]];
  for (const { kind, text } of tokenize(source)) {
    for (const [i, piece] of text.split("\n").entries()) {
      if (i > 0) lines.push([]);
      if (piece) lines.at(-1)?.push({ kind, text: piece });
    }
  }
  return lines;
}

/** A token or a part of one, with its column and the whole token it belongs to. */
export interface Piece extends Token {
  readonly start: number;
  readonly whole: string;
}

/** Cuts the tokens of a line at columns, so that what lies between can be lit. */
export function cutTokens(tokens: readonly Token[], columns: readonly number[]): Piece[] {
  const pieces: Piece[] = [];
  const sorted = [...columns].sort((a, b) => a - b);
  let start = 0;
  for (const { kind, text } of tokens) {
    const inside = sorted.map((column) => column - start).filter((cut) => cut > 0 && cut < text.length);
    const cuts = [0, ...inside, text.length];
    for (let i = 1; i < cuts.length; i++)
      pieces.push({ kind, text: text.slice(cuts[i - 1], cuts[i]), start: start + (cuts[i - 1] ?? 0), whole: text });
    start += text.length;
  }
  return pieces;
}
