import type { Node, Saved, Trace } from "../trace/types";
import type { Card, ValueBlock } from "./cards";

/**
 * Measures of a card, in pixels at full size. Text is measured by counting: the stage uses a monospaced face whose
 * advance is 0.6 em, so that layout needs no browser and gives the same numbers everywhere.
 */
export const CARD = {
  padding: 12,
  titleRow: 34,
  doorRow: 26,
  savedRow: 30,
  /** A heatmap is as large as its cells, up to `most`; no cell is larger than `heat`. */
  cell: { number: { width: 46, height: 20 }, heat: 16, most: { width: 128, height: 64 } },
  /** Least room between a title and what stands at the end of its row. */
  titleGap: 16,
  leastWidth: 184,
  mostWidth: 340,
} as const;

export const CHARACTER = { title: 9, symbol: 7.4, small: 6.9 } as const;

/** Width of a pill and of the room around it: with a number, a few numbers, or a pattern (without the text after it). */
const NUMBER_PILL = 100;
const LIST_PILL = 130;
const PATTERN_PILL = 88;
/** Longest word that stands before a title; what is longer is told by the name of the node below. */
const LONGEST_SYMBOL = 8;

export const symbolOf = (node: Node | undefined | null): string =>
  node && node.symbol.length <= LONGEST_SYMBOL ? node.symbol : "";

/** A short symbol stands in a disc, a word in a capsule. */
export function symbolWidth(symbol: string): number {
  return symbol.length === 0 ? 0 : Math.max(22, symbol.length * CHARACTER.symbol + 12);
}

export function titleText(card: Card): string {
  const most = card.kind === "group" ? 46 : 18;
  return card.title.length > most ? `${card.title.slice(0, most - 1)}…` : card.title;
}

/** Beside the title: that a leaf is drawn again, or else what its tensor is. */
export const remarkOf = (card: Card): string => (card.repeats ? "again" : card.remark);

/** The remark, and the version of what is written in place. */
function besideTitle(card: Card): number {
  const remark = remarkOf(card);
  const digits = Math.max(2, String(card.written).length);
  return (
    (remark ? remark.length * CHARACTER.small + 6 : 0) + (card.written > 0 ? (1 + digits) * CHARACTER.small + 5 : 0)
  );
}

/** At the end of the title row, how many elements along each axis; nothing for a single number, which stands there itself. */
export function shapeText(trace: Trace, card: Card): string {
  return card.value.kind === "cells" && card.tensor !== null
    ? sizeText(trace.tensors[card.tensor]?.shape ?? [], " × ")
    : "";
}

/** A shape as people write it: `3 × 4`, and `(8,)` for one axis, which must not look like the number 8. */
export function sizeText(shape: readonly number[], cross = "×"): string {
  return shape.length === 1 ? `(${shape[0]},)` : shape.join(cross);
}

function asideWidth(trace: Trace, card: Card): number {
  if (card.value.kind === "text") return card.value.characters * CHARACTER.title;
  return shapeText(trace, card).length * CHARACTER.small;
}

export function blockSize(block: ValueBlock): { width: number; height: number } {
  if (block.kind !== "cells") return { width: 0, height: 0 };
  if (block.numbers)
    return { width: block.columns * CARD.cell.number.width, height: block.rows * CARD.cell.number.height + 8 };
  const cell = heatCell(block.rows, block.columns);
  return { width: block.columns * cell, height: block.rows * cell + 8 };
}

/** Edge of one cell of a heatmap. */
export function heatCell(rows: number, columns: number): number {
  const { width, height } = CARD.cell.most;
  return Math.max(1, Math.min(width / Math.max(1, columns), height / Math.max(1, rows), CARD.cell.heat));
}

/**
 * Saved tensors get badges, in the order of the arguments they were; what is saved as a plain value (an exponent, a
 * size) is left to the inspector.
 */
export function keptTensors(node: Node): { readonly saved: Saved; readonly position: number }[] {
  const place = (name: string): number => {
    const argument = node.edges.findIndex((edge) => edge.argument === name);
    return argument < 0 ? node.edges.length : argument;
  };
  return node.saved
    .map((saved, position) => ({ saved, position }))
    .filter(({ saved }) => saved.tensor !== null)
    .sort((a, b) => place(a.saved.name) - place(b.saved.name));
}

/** How many of a folded part's operations are made, and how many backward has passed. */
export const progressText = ({ operations }: Card, made: number, ran: number): string =>
  `${made} of ${operations} operations${ran > 0 ? `, ∂ through ${ran}` : ""}`;

export function cardSize(trace: Trace, card: Card): { width: number; height: number } {
  if (card.kind === "group") {
    const title = titleText(card).length * CHARACTER.title + 10;
    const progress = progressText(card, card.operations, card.operations).length * CHARACTER.small;
    const width = Math.max(CARD.leastWidth, Math.max(title, progress) + 2 * CARD.padding);
    return { width: Math.round(width), height: CARD.titleRow + CARD.doorRow + 10 };
  }
  const node = card.node === null ? null : (trace.nodes[card.node] ?? null);
  const kept = node ? keptTensors(node) : [];
  const block = blockSize(card.value);
  const symbol = card.kind === "operation" ? symbolWidth(symbolOf(node)) : 0;
  const title =
    (symbol > 0 ? symbol + 6 : 0) +
    titleText(card).length * CHARACTER.title +
    besideTitle(card) +
    CARD.titleGap +
    asideWidth(trace, card) +
    20;
  const name = (node?.name.length ?? 0) * CHARACTER.small + gradientWidth(trace, card);
  const saved =
    card.kind === "operation" && node
      ? kept.reduce((sum, { saved: each }) => sum + savedWidth(each.name, savedText(trace, each)) + 6, 0)
      : 0;
  // Whatever else is cut, in the row of the title one thing would cover the other.
  const needed = Math.max(CARD.leastWidth, name, saved, block.width);
  const width = Math.max(title, Math.min(CARD.mostWidth, needed)) + 2 * CARD.padding - 12;
  const rows =
    card.kind === "operation"
      ? CARD.titleRow + CARD.doorRow * (card.retains ? 2 : 1) + (kept.length > 0 ? CARD.savedRow : 0)
      : card.kind === "leaf"
        ? CARD.titleRow + 2 * CARD.doorRow
        : CARD.titleRow + 18;
  return { width: Math.round(width), height: rows + block.height + 10 };
}

/** What stands beside a node's name: the pill of a gradient, with a pattern and a shape where it has many numbers. */
function gradientWidth(trace: Trace, card: Card): number {
  if (card.value.kind !== "cells") return NUMBER_PILL;
  const pattern = PATTERN_PILL + sizeText(trace.tensors[card.tensor ?? -1]?.shape ?? []).length * CHARACTER.small;
  return card.value.numbers ? Math.max(pattern, LIST_PILL) : pattern;
}

/** What a badge says of what is kept: its value while that is short, else how many elements. */
export function savedText(trace: Trace, { tensor, text }: Saved): string {
  const shape = tensor === null ? [] : (trace.tensors[tensor]?.shape ?? []);
  return text.length > 9 && shape.length > 0 ? sizeText(shape) : text;
}

/** A badge reads `name value`, both cut where they are long. */
export function savedWidth(name: string, text: string): number {
  return (Math.min(10, name.length) + Math.min(9, text.length) + 1) * CHARACTER.small + 24;
}
