import { type Diagram, SPACING } from "./model";

/** A stretch of a wire between two neighbouring ranks. */
export interface Link {
  /** The vertex on the other side. */
  readonly vertex: number;
  /** Where the wire leaves or enters, measured from the middle of the vertex across the flow. */
  offset: number;
  /** The same on the other side. */
  otherOffset: number;
  /** Port number at the target, to keep argument order while ordering. */
  readonly port: number;
}

/**
 * A diagram cut into ranks. The first vertices are the boxes; the rest are waypoints, one for each rank that a long
 * wire passes, so that every link joins neighbouring ranks.
 */
export interface Layers {
  readonly boxCount: number;
  readonly rank: number[];
  /** Extent along the flow and across it. */
  readonly length: number[];
  readonly breadth: number[];
  readonly before: Link[][];
  readonly after: Link[][];
  /** Vertices of every rank, in order across the flow. */
  readonly order: number[][];
  /** For every wire the vertices it passes, ends included. */
  readonly chains: number[][];
}

export const isWaypoint = (layers: Layers, vertex: number): boolean => vertex >= layers.boxCount;

/** Offset of the port at `index` of `count` on a side of the given breadth. */
export function portOffset(index: number, count: number, breadth: number): number {
  return (index - (count - 1) / 2) * Math.min(SPACING.port, breadth / (count + 1));
}

export function cutIntoLayers({ boxes, wires, direction }: Diagram, ranks: Int32Array): Layers {
  const layers: Layers = {
    boxCount: boxes.length,
    rank: [...ranks],
    length: boxes.map((box) => (direction === "right" ? box.width : box.height)),
    breadth: boxes.map((box) => (direction === "right" ? box.height : box.width)),
    before: boxes.map(() => []),
    after: boxes.map(() => []),
    order: Array.from({ length: Math.max(0, ...ranks) + 1 }, () => []),
    chains: [],
  };
  const portCounts = boxes.map(() => 0);
  for (const wire of wires) portCounts[wire.to] = Math.max(portCounts[wire.to] ?? 0, wire.port + 1);
  for (const wire of wires) {
    const chain = [wire.from];
    for (let rank = (ranks[wire.from] ?? 0) + 1; rank < (ranks[wire.to] ?? 0); rank++)
      chain.push(addWaypoint(layers, rank));
    chain.push(wire.to);
    const entry = portOffset(wire.port, portCounts[wire.to] ?? 1, layers.breadth[wire.to] ?? 0);
    for (let k = 1; k < chain.length; k++)
      join(layers, chain[k - 1] ?? 0, chain[k] ?? 0, wire.port, k === chain.length - 1 ? entry : 0);
    layers.chains.push(chain);
  }
  return layers;
}

function addWaypoint(layers: Layers, rank: number): number {
  layers.rank.push(rank);
  layers.length.push(0);
  layers.breadth.push(0);
  layers.before.push([]);
  layers.after.push([]);
  return layers.rank.length - 1;
}

function join(layers: Layers, from: number, to: number, port: number, entry: number): void {
  layers.after[from]?.push({ vertex: to, offset: 0, otherOffset: entry, port });
  layers.before[to]?.push({ vertex: from, offset: entry, otherOffset: 0, port });
}
