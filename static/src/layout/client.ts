import type { Trace } from "../trace/types";
import type { CardGraph } from "./cards";
import { type Placement, type Plan, place } from "./place";
import { planOf, type Scene, sceneOf } from "./scene";

/** Plans of up to this many boxes are placed faster than a worker starts. */
const SMALL = 120;
/** Placements that are kept: the turns of a loop are often the same plan. */
const MOST_KEPT = 24;

const kept = new Map<string, Placement>();

/** Lays a graph out at once, for a place of this aspect (width over height); null where it is too large for that. */
export function layOutNow(trace: Trace, graph: CardGraph, aspect: number): Scene | null {
  const plan = planOf(trace, graph, aspect);
  const placement = placeNow(plan);
  return placement && sceneOf(graph, plan, placement);
}

/** Lays a large graph out while the page goes on. */
export async function layOutLater(trace: Trace, graph: CardGraph, aspect: number): Promise<Scene> {
  const { placeLater } = await import("./remote");
  const plan = planOf(trace, graph, aspect);
  return sceneOf(graph, plan, await placeLater(plan));
}

/** Places a plan at once, when it is small enough for that. */
function placeNow(plan: Plan): Placement | null {
  if (plan.boxes.length > SMALL) return null;
  const key = keyOf(plan);
  const known = kept.get(key);
  if (known) return known;
  const placement = place(plan);
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? "");
  kept.set(key, placement);
  return placement;
}

/** Groups by their order: which boxes are together matters, not what they are numbered. */
function keyOf({ boxes, wires, aspect }: Plan): string {
  const groups = [...new Set(boxes.map((box) => box.group))];
  const sizes = boxes.map(({ width, height, group }) => `${width} ${height} ${groups.indexOf(group)}`);
  return `${aspect}|${sizes}|${wires.map(({ from, to, port }) => `${from} ${to} ${port}`)}`;
}
