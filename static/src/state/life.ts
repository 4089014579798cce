import type { History } from "./history";

/** A step in the life of a tensor, with the words of the trace. */
export interface Moment {
  readonly step: number;
  readonly text: string;
}

const lives = new WeakMap<History, Map<number, readonly Moment[]>>();

/** Everything that happens to a tensor, in order: made, named, written, saved, given a gradient. */
export function lifeOf(history: History, tensor: number): readonly Moment[] {
  // Gathered once: a person steps on while they look at one tensor.
  const known = lives.get(history) ?? new Map<number, readonly Moment[]>();
  lives.set(history, known);
  const life = known.get(tensor) ?? gatherLife(history, tensor);
  known.set(tensor, life);
  return life;
}

function gatherLife(history: History, tensor: number): Moment[] {
  const steps = new Set<number>([...history.values.changes(tensor), ...history.gradients.changes(tensor)]);
  for (const [index, step] of history.trace.steps.entries()) {
    if ((step.kind === "name_bound" || step.kind === "tensor_saved") && step.tensor === tensor) steps.add(index);
    if (step.kind === "graph_left" && (step.source === tensor || step.result === tensor)) steps.add(index);
  }
  return [...steps].sort((a, b) => a - b).map((step) => ({ step, text: history.trace.steps[step]?.text ?? "" }));
}
