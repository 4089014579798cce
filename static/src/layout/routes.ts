import type { Coordinates } from "./coordinates";
import type { Layers } from "./layers";
import type { Corner, Point, Route } from "./model";
import { type Row, rowLength, rowOfRank } from "./rows";

/** How far beyond its row a wire leaves it: there is room for a message at rest. */
const BEYOND = 88;
/** How far before its row a wire enters it: outside the ground behind a loop turn. */
const BEFORE = 42;

/**
 * Corner points of every wire, in flow coordinates (x along, y across). A wire to another row goes on beyond the end of
 * its own and leaps from there to before the beginning of the other: drawn all the way back, it could not be followed.
 */
export function routeWires(layers: Layers, places: Coordinates, rows: readonly Row[]): Route[] {
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
  const rowAt = (vertex: number | undefined): number => rowOf[layers.rank[vertex ?? 0] ?? 0] ?? 0;
  return layers.chains.map((chain) => {
    const [sourceRow, targetRow] = [rowAt(chain[0]), rowAt(chain.at(-1))];
    const points: Corner[] = [];
    for (let k = 1; k < chain.length; k++) {
      const [from, to] = [chain[k - 1] ?? 0, chain[k] ?? 0];
      const [fromRow, toRow] = [rowAt(from), rowAt(to)];
      const link = takeLink(layers, from, to, used);
      const [start, end] = [at(from, 1, link.offset), at(to, -1, link.otherOffset)];
      if (fromRow === toRow) {
        // Rows in between are leapt over.
        if (fromRow === sourceRow || fromRow === targetRow) points.push(start, end);
        continue;
      }
      if (fromRow === sourceRow) points.push(start, { x: rowLength(places, rows[fromRow]) + BEYOND, y: start.y });
      if (toRow === targetRow) points.push({ x: -BEFORE, y: end.y, leaps: true }, end);
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
