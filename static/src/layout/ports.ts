import { type Layers, portOffset } from "./layers";

/**
 * Spreads the wires that leave a box over its far side, in the order of where they go, so that two wires from one box
 * (the two paths into one leaf) stay apart from their first pixel.
 */
export function spreadDepartures(layers: Layers): void {
  const position = new Float64Array(layers.rank.length);
  for (const rank of layers.order) for (let i = 0; i < rank.length; i++) position[rank[i] ?? 0] = i;
  for (let box = 0; box < layers.boxCount; box++) {
    const links = layers.after[box] ?? [];
    const sorted = [...links].sort((a, b) => (position[a.vertex] ?? 0) - (position[b.vertex] ?? 0) || a.port - b.port);
    for (const [index, link] of sorted.entries()) {
      link.offset = portOffset(index, sorted.length, layers.breadth[box] ?? 0);
      const mirror = layers.before[link.vertex]?.find((other) => other.vertex === box && other.port === link.port);
      if (mirror) mirror.otherOffset = link.offset;
    }
  }
}
