import type { Reason } from "../trace/types";
import type { History } from "./history";

/** A step in the life of a tensor, with the words of the trace. */
export interface Moment {
  readonly step: number;
  readonly text: string;
}

/** Everything that happens to a tensor, in order: made, named, written, saved, given a gradient. */
export function lifeOf(history: History, tensor: number): Moment[] {
  const steps = new Set<number>([...history.values.changes(tensor), ...history.gradients.changes(tensor)]);
  for (const [index, step] of history.trace.steps.entries()) {
    if ((step.kind === "name_bound" || step.kind === "tensor_saved") && step.tensor === tensor) steps.add(index);
    if (step.kind === "graph_left" && (step.source === tensor || step.result === tensor)) steps.add(index);
  }
  return [...steps].sort((a, b) => a - b).map((step) => ({ step, text: history.trace.steps[step]?.text ?? "" }));
}

/** One line of a gradient's ledger: what was there, what came, what it became. */
export interface Entry {
  readonly step: number;
  readonly old: string;
  readonly incoming: string;
  readonly now: string;
}

/** How `.grad` came to be what it is at a step. */
export function ledgerOf(history: History, tensor: number, until: number): Entry[] {
  return [...history.gradients.changes(tensor)]
    .filter((step) => step <= until)
    .map((step) => {
      const event = history.trace.steps[step];
      if (event?.kind === "gradient_stored")
        return { step, old: event.old?.text ?? "None", incoming: event.incoming.text, now: event.new.text };
      const zero = event?.kind === "gradients_zeroed" && !event.to_none;
      return { step, old: "", incoming: "", now: zero ? "0" : "None" };
    });
}

/** The answers to "why?" about a tensor that hold at a step. */
export function reasonsAt(history: History, tensor: number, step: number): Reason[] {
  return history.trace.reasons.filter(
    (reason) => reason.tensor === tensor && reason.first <= step && step <= reason.last,
  );
}

/** Where a tensor is saved at a step: node by node, held or freed. */
export function savedPlaces(
  history: History,
  tensor: number,
  step: number,
): { readonly node: number; readonly name: string; readonly held: boolean }[] {
  return history.trace.nodes.flatMap((node, id) =>
    node.saved.flatMap((saved, position) => {
      if (saved.tensor !== tensor) return [];
      const event = history.trace.steps[history.saved.at((history.savedStart[id] ?? 0) + position, step)];
      return event ? [{ node: id, name: saved.name, held: event.kind === "tensor_saved" }] : [];
    }),
  );
}
