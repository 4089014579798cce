import type { Reason, Tensor } from "../trace/types";
import type { History } from "./history";

/** The answers to "why?" about a tensor that hold at a step. */
export function reasonsAt(history: History, tensor: number, step: number): Reason[] {
  return history.trace.reasons.filter(
    (reason) => reason.tensor === tensor && reason.first <= step && step <= reason.last,
  );
}

/** The views of a tensor that there are at a step. */
export function viewsOf({ trace }: History, tensor: number, step: number): Tensor[] {
  return trace.tensors.filter((each) => each.base === tensor && each.step <= step);
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
