import { isWaypoint, type Layers } from "./layers";
import { type Direction, SPACING } from "./model";

const ROUNDS = 24;

/** Middle of every vertex across the flow, and the middle of every rank along it. */
export interface Coordinates {
  readonly across: Float64Array;
  readonly along: Float64Array;
  /** Extent of every rank along the flow. */
  readonly extent: Float64Array;
}

/**
 * Places vertices across the flow so that wires run straight: each rank in turn moves to where its neighbours want it,
 * keeping order and distance. The best such placement is a weighted isotonic regression, found by pooling adjacent
 * violators.
 */
export function placeVertices(layers: Layers, direction: Direction): Coordinates {
  const across = new Float64Array(layers.rank.length);
  for (const vertices of layers.order) stackUp(layers, vertices, across);
  const count = layers.order.length;
  for (let round = 0; round < ROUNDS; round++) {
    const forward = round % 2 === 0;
    for (let step = 0; step < count; step++)
      moveRank(layers, layers.order[forward ? step : count - 1 - step] ?? [], across, forward);
  }
  return { across, ...placeRanks(layers, SPACING.along[direction]) };
}

function separation(layers: Layers, above: number, below: number): number {
  const half = ((layers.breadth[above] ?? 0) + (layers.breadth[below] ?? 0)) / 2;
  return half + (isWaypoint(layers, above) || isWaypoint(layers, below) ? SPACING.wire : SPACING.across);
}

function stackUp(layers: Layers, vertices: readonly number[], across: Float64Array): void {
  let total = 0;
  for (const [i, vertex] of vertices.entries()) {
    if (i > 0) total += separation(layers, vertices[i - 1] ?? 0, vertex);
    across[vertex] = total;
  }
  for (const vertex of vertices) across[vertex] = (across[vertex] ?? 0) - total / 2;
}

/** Long wires and the first argument pull harder, so that a reader's eye has a straight line to follow. */
function pull(layers: Layers, vertex: number, other: number, port: number): number {
  if (isWaypoint(layers, vertex) && isWaypoint(layers, other)) return 8;
  return port === 0 ? 6 : 1;
}

function moveRank(layers: Layers, vertices: readonly number[], across: Float64Array, forward: boolean): void {
  const wanted: number[] = [];
  const weights: number[] = [];
  for (const vertex of vertices) {
    let [sum, weight] = [0, 0];
    for (const [links, share] of [
      [layers.before[vertex], forward ? 1 : 0.4],
      [layers.after[vertex], forward ? 0.4 : 1],
    ] as const) {
      for (const link of links ?? []) {
        const strength = pull(layers, vertex, link.vertex, link.port) * share;
        sum += ((across[link.vertex] ?? 0) + link.otherOffset - link.offset) * strength;
        weight += strength;
      }
    }
    wanted.push(weight > 0 ? sum / weight : (across[vertex] ?? 0));
    weights.push(isWaypoint(layers, vertex) ? 4 : Math.max(0.5, weight));
  }
  const distances = vertices.map((vertex, i) => (i === 0 ? 0 : separation(layers, vertices[i - 1] ?? 0, vertex)));
  const placed = keepApart(wanted, weights, distances);
  for (const [i, vertex] of vertices.entries()) across[vertex] = placed[i] ?? 0;
}

/** Positions nearest to the wanted ones (weighted least squares) whose neighbours are at least `distances` apart. */
export function keepApart(
  wanted: readonly number[],
  weights: readonly number[],
  distances: readonly number[],
): number[] {
  const shifts: number[] = [];
  let shift = 0;
  const pools: { sum: number; weight: number; count: number }[] = [];
  for (const [i, want] of wanted.entries()) {
    shift += distances[i] ?? 0;
    shifts.push(shift);
    const weight = weights[i] ?? 1;
    let pool = { sum: (want - shift) * weight, weight, count: 1 };
    for (let last = pools.at(-1); last && last.sum / last.weight > pool.sum / pool.weight; last = pools.at(-1)) {
      pool = { sum: pool.sum + last.sum, weight: pool.weight + last.weight, count: pool.count + last.count };
      pools.pop();
    }
    pools.push(pool);
  }
  const flat = pools.flatMap((pool) => Array<number>(pool.count).fill(pool.sum / pool.weight));
  return flat.map((value, i) => value + (shifts[i] ?? 0));
}

function placeRanks(layers: Layers, spacing: number): Pick<Coordinates, "along" | "extent"> {
  const along = new Float64Array(layers.order.length);
  const extent = new Float64Array(layers.order.length);
  let start = 0;
  for (const [rank, vertices] of layers.order.entries()) {
    const length = Math.max(0, ...vertices.map((vertex) => layers.length[vertex] ?? 0));
    extent[rank] = length;
    along[rank] = start + length / 2;
    start += length + spacing;
  }
  return { along, extent };
}
