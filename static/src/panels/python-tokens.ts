export type TokenKind = "keyword" | "number" | "string" | "comment" | "constant" | "plain";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const KEYWORDS =
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield";
const PATTERN = new RegExp(
  [
    "(?<comment>#.*)",
    `(?<string>[rbfu]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*'))`,
    "(?<number>\\b(?:\\d[\\d_]*\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?j?\\b\\.?)",
    "(?<constant>\\b(?:True|False|None)\\b)",
    `(?<keyword>\\b(?:${KEYWORDS.replaceAll(" ", "|")})\\b)`,
  ].join("|"),
  "gi",
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

/** Cuts the tokens of a line at two columns, so that what lies between can be lit. */
export function cutTokens(
  tokens: readonly Token[],
  columns: readonly number[],
): (Token & { readonly start: number })[] {
  const pieces: (Token & { readonly start: number })[] = [];
  let start = 0;
  for (const token of tokens) {
    const cuts = [
      0,
      ...columns.map((column) => column - start).filter((cut) => cut > 0 && cut < token.text.length),
      token.text.length,
    ];
    for (let i = 1; i < cuts.length; i++)
      pieces.push({
        kind: token.kind,
        text: token.text.slice(cuts[i - 1], cuts[i]),
        start: start + (cuts[i - 1] ?? 0),
      });
    start += token.text.length;
  }
  return pieces;
}
