import type { Layers } from "./layers";

/** Number of crossings between all neighbouring ranks (Barth, Jünger, Mutzel 2002: inversions counted with a tree). */
export function countCrossings(layers: Layers, position: Float64Array): number {
  let total = 0;
  for (let rank = 1; rank < layers.order.length; rank++) {
    const targets: number[] = [];
    for (const vertex of layers.order[rank] ?? []) {
      const links = [...(layers.before[vertex] ?? [])].sort(
        (a, b) => a.port - b.port || at(position, a.vertex) - at(position, b.vertex),
      );
      for (const link of links) targets.push(at(position, link.vertex));
    }
    total += countInversions(targets, layers.order[rank - 1]?.length ?? 0);
  }
  return total;
}

function countInversions(sequence: readonly number[], size: number): number {
  let leaves = 1;
  while (leaves < size) leaves *= 2;
  const tree = new Int32Array(2 * leaves);
  let inversions = 0;
  for (const value of sequence) {
    let index = value + leaves;
    tree[index] = (tree[index] ?? 0) + 1;
    while (index > 1) {
      if (index % 2 === 0) inversions += tree[index + 1] ?? 0;
      index >>= 1;
      tree[index] = (tree[index] ?? 0) + 1;
    }
  }
  return inversions;
}

const at = (values: Float64Array, index: number): number => values[index] ?? 0;
