import type { Diagram } from "./model";

/**
 * The rank of every box: how many steps along the flow it lies.
 *
 * Longest path from the sources (Sugiyama's first phase); then every box that has more wires going on than coming in
 * moves next to its first consumer. So a leaf stands where it is used, and what a late step prepares from leaves alone
 * is not drawn at the far beginning.
 */
export function assignRanks({ boxes, wires }: Diagram): Int32Array {
  const incoming: number[][] = boxes.map(() => []);
  const outgoing: number[][] = boxes.map(() => []);
  for (const { from, to } of wires) {
    outgoing[from]?.push(to);
    incoming[to]?.push(from);
  }
  const order = sortAlongFlow(incoming, outgoing);
  const ranks = new Int32Array(boxes.length);
  for (const box of order)
    for (const next of outgoing[box] ?? []) ranks[next] = Math.max(ranks[next] ?? 0, (ranks[box] ?? 0) + 1);
  const isSource = (box: number): boolean => (incoming[box] ?? []).length === 0;
  for (const box of order.toReversed()) {
    const consumers = outgoing[box] ?? [];
    // Wires from sources don't hold a box back: the sources come along.
    const held = (incoming[box] ?? []).filter((from) => !isSource(from)).length;
    if (consumers.length > held) ranks[box] = Math.min(...consumers.map((next) => ranks[next] ?? 0)) - 1;
  }
  const lowest = ranks.reduce((least, rank) => Math.min(least, rank), Number.POSITIVE_INFINITY);
  return ranks.map((rank) => rank - lowest);
}

/** All boxes, each after those it depends on (Kahn 1962). */
function sortAlongFlow(incoming: readonly number[][], outgoing: readonly number[][]): number[] {
  const waiting = incoming.map((from) => from.length);
  const order = waiting.flatMap((count, box) => (count === 0 ? [box] : []));
  for (let head = 0; head < order.length; head++) {
    for (const next of outgoing[order[head] ?? 0] ?? []) {
      waiting[next] = (waiting[next] ?? 0) - 1;
      if (waiting[next] === 0) order.push(next);
    }
  }
  if (order.length !== incoming.length)
    throw new Error(`A diagram must not contain a cycle; ${incoming.length - order.length} boxes lie on one.`);
  return order;
}
