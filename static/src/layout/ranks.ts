import type { Diagram } from "./model";

/**
 * The rank of every box: how many steps along the flow it lies.
 *
 * Longest path from the sources (Sugiyama's first phase), then sources are pulled next to their first consumer, so that
 * a leaf stands where it is used.
 */
export function assignRanks({ boxes, wires }: Diagram): Int32Array {
  const ranks = new Int32Array(boxes.length);
  const waiting = new Int32Array(boxes.length);
  const outgoing: number[][] = boxes.map(() => []);
  for (const wire of wires) {
    outgoing[wire.from]?.push(wire.to);
    waiting[wire.to] = (waiting[wire.to] ?? 0) + 1;
  }
  const sources = boxes.map((_, box) => box).filter((box) => waiting[box] === 0);
  const queue = [...sources];
  for (let head = 0; head < queue.length; head++) {
    const box = queue[head] ?? 0;
    for (const next of outgoing[box] ?? []) {
      ranks[next] = Math.max(ranks[next] ?? 0, (ranks[box] ?? 0) + 1);
      waiting[next] = (waiting[next] ?? 0) - 1;
      if (waiting[next] === 0) queue.push(next);
    }
  }
  if (queue.length !== boxes.length)
    throw new Error(`A diagram must not contain a cycle; ${boxes.length - queue.length} boxes lie on one.`);
  for (const box of sources) {
    const consumers = outgoing[box] ?? [];
    if (consumers.length > 0) ranks[box] = Math.min(...consumers.map((next) => ranks[next] ?? 0)) - 1;
  }
  const lowest = ranks.reduce((least, rank) => Math.min(least, rank), 0);
  return ranks.map((rank) => rank - lowest);
}
