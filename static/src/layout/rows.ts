import type { Coordinates } from "./coordinates";
import { isWaypoint, type Layers } from "./layers";
import { type Box, SPACING } from "./model";

const MOST_ROWS = 40;
/** A drawing up to this long is never folded: it can be read at once, or with one glance further. */
const SHORT = 1400;

/** A stretch of ranks that is shown as one row. */
export interface Row {
  readonly firstRank: number;
  readonly lastRank: number;
  /** What to subtract from coordinates along the flow, and to add across it. */
  readonly alongShift: number;
  readonly acrossShift: number;
  /** Upper edge and extent across the flow, after shifting. */
  readonly top: number;
  readonly breadth: number;
}

/** Folds a diagram that is much longer than the place it is shown in, cutting where few wires pass, between groups. */
export function foldIntoRows(layers: Layers, places: Coordinates, boxes: readonly Box[], aspect: number): Row[] {
  const starts = chooseCuts(layers, places, boxes, rowCount(layers, places, aspect));
  const rows: Row[] = [];
  let top = 0;
  for (const [index, firstRank] of starts.entries()) {
    const lastRank = (starts[index + 1] ?? layers.order.length) - 1;
    const [low, high] = reach(layers, places, firstRank, lastRank);
    const alongShift = (places.along[firstRank] ?? 0) - (places.extent[firstRank] ?? 0) / 2;
    rows.push({ firstRank, lastRank, alongShift, acrossShift: top - low, top, breadth: high - low });
    top += high - low + SPACING.row;
  }
  return rows;
}

const totalLength = (places: Coordinates): number => (places.along.at(-1) ?? 0) + (places.extent.at(-1) ?? 0) / 2;

function reach(layers: Layers, places: Coordinates, firstRank: number, lastRank: number): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let rank = firstRank; rank <= lastRank; rank++) {
    for (const vertex of layers.order[rank] ?? []) {
      const half = (layers.breadth[vertex] ?? 0) / 2;
      low = Math.min(low, (places.across[vertex] ?? 0) - half);
      high = Math.max(high, (places.across[vertex] ?? 0) + half);
    }
  }
  return low <= high ? [low, high] : [0, 0];
}

function rowCount(layers: Layers, places: Coordinates, aspect: number): number {
  const length = totalLength(places);
  const [low, high] = reach(layers, places, 0, layers.order.length - 1);
  let rows = 1;
  // A picture may be up to twice as long as its place before it is worth breaking the reader's line.
  while (rows < MOST_ROWS && length / rows > SHORT && length / rows / ((high - low + SPACING.row) * rows) > aspect * 2)
    rows++;
  return rows;
}

function chooseCuts(layers: Layers, places: Coordinates, boxes: readonly Box[], rows: number): number[] {
  const starts = [0];
  const ideal = totalLength(places) / rows;
  const passing = layers.order.map((vertices) =>
    vertices.reduce((sum, vertex) => sum + (layers.before[vertex]?.length ?? 0), 0),
  );
  const groups = layers.order.map((vertices) =>
    vertices
      .filter((v) => !isWaypoint(layers, v))
      .map((v) => boxes[v]?.group ?? 0)
      .at(-1),
  );
  for (let row = 1; row < rows; row++) {
    let [best, lowestCost] = [-1, Number.POSITIVE_INFINITY];
    for (let rank = (starts.at(-1) ?? 0) + 1; rank < layers.order.length; rank++) {
      const off = Math.abs((places.along[rank] ?? 0) - (places.extent[rank] ?? 0) / 2 - ideal * row);
      if (off > ideal * 0.35) continue;
      const boundary = groups[rank] !== groups[rank - 1];
      const cost = (passing[rank] ?? 0) * 60 + off - (boundary ? 400 : 0);
      if (cost < lowestCost) [best, lowestCost] = [rank, cost];
    }
    if (best > 0) starts.push(best);
  }
  return starts;
}

/** How far a row reaches along the flow. */
export function rowLength(places: Coordinates, row: Row | undefined): number {
  const last = row?.lastRank ?? 0;
  return (places.along[last] ?? 0) + (places.extent[last] ?? 0) / 2 - (row?.alongShift ?? 0);
}

/** The row of every rank. */
export function rowOfRank(rows: readonly Row[], rank: number): number {
  return rows.findIndex((row) => rank >= row.firstRank && rank <= row.lastRank);
}
