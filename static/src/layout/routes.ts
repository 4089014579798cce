import type { Coordinates } from "./coordinates";
import type { Layers } from "./layers";
import { type Point, SPACING } from "./model";
import { type Row, rowOfRank } from "./rows";

/** How far outside the cards the first wire passes: outside the ground behind a loop turn as well. */
const BESIDE = 34;

/** Corner points of every wire, in flow coordinates (x along, y across), going round the ends of folded rows. */
export function routeWires(layers: Layers, places: Coordinates, rows: readonly Row[], length: number): Point[][] {
  const lanes = rows.map(() => 0);
  const rowOf = layers.order.map((_, rank) => rowOfRank(rows, rank));
  const at = (vertex: number, side: -1 | 0 | 1, offset: number): Point => {
    const rank = layers.rank[vertex] ?? 0;
    const row = rows[rowOf[rank] ?? 0];
    const reach = vertex < layers.boxCount ? (layers.length[vertex] ?? 0) : (places.extent[rank] ?? 0);
    return {
      x: (places.along[rank] ?? 0) - (row?.alongShift ?? 0) + (side * reach) / 2,
      y: (places.across[vertex] ?? 0) + (row?.acrossShift ?? 0) + offset,
    };
  };
  const used = new Map<string, number>();
  return layers.chains.map((chain) => {
    const points: Point[] = [];
    for (let k = 1; k < chain.length; k++) {
      const [from, to] = [chain[k - 1] ?? 0, chain[k] ?? 0];
      const link = takeLink(layers, from, to, used);
      const [start, end] = [at(from, 1, link.offset), at(to, -1, link.otherOffset)];
      const [fromRow, toRow] = [rowOf[layers.rank[from] ?? 0] ?? 0, rowOf[layers.rank[to] ?? 0] ?? 0];
      points.push(start);
      if (fromRow !== toRow) points.push(...aroundTheEnd(start, end, rows[fromRow], length, lanes, fromRow));
      points.push(end);
    }
    return points;
  });
}

/** The k-th wire between the same two vertices takes the k-th link between them: parallel wires stay apart. */
function takeLink(layers: Layers, from: number, to: number, used: Map<string, number>) {
  const between = (layers.after[from] ?? []).filter((link) => link.vertex === to);
  const key = `${from}:${to}`;
  const index = used.get(key) ?? 0;
  used.set(key, index + 1);
  return between[index] ?? { offset: 0, otherOffset: 0 };
}

function aroundTheEnd(
  start: Point,
  end: Point,
  row: Row | undefined,
  length: number,
  lanes: number[],
  rowIndex: number,
): Point[] {
  const lane = (lanes[rowIndex] ?? 0) % 5;
  lanes[rowIndex] = (lanes[rowIndex] ?? 0) + 1;
  const far = length + BESIDE + lane * 9;
  const near = -BESIDE - lane * 9;
  const below = (row ? row.top + row.breadth : 0) + SPACING.row * 0.25 + lane * 8;
  return [
    { x: far, y: start.y },
    { x: far, y: below },
    { x: near, y: below },
    { x: near, y: end.y },
  ];
}
