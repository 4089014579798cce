import { countCrossings } from "./crossings";
import type { Layers } from "./layers";

const SWEEPS = 12;

/**
 * Orders every rank so that few wires cross: barycentre sweeps and swaps of neighbours (Sugiyama; Gansner et al. 1993),
 * started from the order in which a reader meets the arguments walking back from the results.
 *
 * Returns the number of crossings left.
 */
export function orderRanks(layers: Layers): number {
  startFromResults(layers);
  const position = new Float64Array(layers.rank.length);
  const number = () => {
    for (const rank of layers.order) for (let i = 0; i < rank.length; i++) position[rank[i] ?? 0] = i;
  };
  number();
  let fewest = countCrossings(layers, position);
  let best = layers.order.map((rank) => [...rank]);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    sortByNeighbours(layers, position, sweep % 2 === 0);
    swapNeighbours(layers, position);
    const crossings = countCrossings(layers, position);
    if (crossings < fewest) {
      fewest = crossings;
      best = layers.order.map((rank) => [...rank]);
    }
  }
  for (const [rank, vertices] of best.entries()) layers.order[rank] = vertices;
  return fewest;
}

function startFromResults(layers: Layers): void {
  const seen = new Uint8Array(layers.rank.length);
  for (let result = 0; result < layers.boxCount; result++) {
    if ((layers.after[result] ?? []).length > 0) continue;
    const stack = [result];
    while (stack.length > 0) {
      const vertex = stack.pop() ?? 0;
      if (seen[vertex]) continue;
      seen[vertex] = 1;
      layers.order[layers.rank[vertex] ?? 0]?.push(vertex);
      const links = [...(layers.before[vertex] ?? [])].sort((a, b) => b.port - a.port);
      for (const link of links) if (!seen[link.vertex]) stack.push(link.vertex);
    }
  }
}

function sortByNeighbours(layers: Layers, position: Float64Array, forward: boolean): void {
  const count = layers.order.length;
  for (let step = 1; step < count; step++) {
    const vertices = layers.order[forward ? step : count - 1 - step] ?? [];
    const wanted = new Map<number, number>();
    for (const vertex of vertices) {
      // A fraction of the port number keeps arguments in order when their producers are free to choose.
      const near = forward
        ? (layers.before[vertex] ?? []).map((link) => position[link.vertex] ?? 0)
        : (layers.after[vertex] ?? []).map((link) => (position[link.vertex] ?? 0) + link.port * 0.3);
      wanted.set(vertex, near.length > 0 ? near.reduce((sum, p) => sum + p, 0) / near.length : (position[vertex] ?? 0));
    }
    vertices.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0) || (position[a] ?? 0) - (position[b] ?? 0));
    for (let i = 0; i < vertices.length; i++) position[vertices[i] ?? 0] = i;
  }
}

function swapNeighbours(layers: Layers, position: Float64Array): void {
  for (const vertices of layers.order) {
    for (let round = 0, improved = true; improved && round < 3; round++) {
      improved = false;
      for (let i = 0; i + 1 < vertices.length; i++) {
        const [left, right] = [vertices[i] ?? 0, vertices[i + 1] ?? 0];
        if (crossingsOfPair(layers, position, right, left) >= crossingsOfPair(layers, position, left, right)) continue;
        vertices[i] = right;
        vertices[i + 1] = left;
        position[right] = i;
        position[left] = i + 1;
        improved = true;
      }
    }
  }
}

function crossingsOfPair(layers: Layers, position: Float64Array, left: number, right: number): number {
  let crossings = 0;
  for (const links of [layers.before, layers.after]) {
    for (const a of links[left] ?? []) {
      for (const b of links[right] ?? []) {
        const apart = (position[a.vertex] ?? 0) - (position[b.vertex] ?? 0);
        if (apart > 0 || (apart === 0 && a.vertex === b.vertex && a.port > b.port)) crossings++;
      }
    }
  }
  return crossings;
}
