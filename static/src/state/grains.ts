import type { Step, Trace } from "../trace/types";

/** How far one press of "next" goes: to the end of the next line, the next operation, or the very next event. */
export type Grain = "line" | "operation" | "message";

export const GRAINS: readonly Grain[] = ["line", "operation", "message"];

/** Kinds that are parts of a larger operation: a stop at operation grain passes them by. */
const PARTS: ReadonlySet<Step["kind"]> = new Set([
  "node_made",
  "tensor_saved",
  "name_bound",
  "name_unbound",
  "view_made",
  "message_sent",
  "broadcast_undone",
  "messages_summed",
  "buffers_freed",
  "line",
]);

/**
 * The steps at which playing at a grain stops, in order. The last step is always one of them.
 *
 * A line stops at its last event, when all that it did is to be seen. Operations stop in the same way: a stop is the
 * last event before the next operation begins.
 */
export function stops(trace: Trace, grain: Grain): Int32Array {
  const last = trace.steps.length - 1;
  const found: number[] = [];
  for (const [index, step] of trace.steps.entries()) {
    const next = trace.steps[index + 1];
    if (grain === "message" || index === last || !next) found.push(index);
    else if (grain === "line" && endsLine(step, next)) found.push(index);
    else if (grain === "operation" && endsOperation(step, next)) found.push(index);
  }
  return Int32Array.from(found);
}

const endsLine = (step: Step, next: Step): boolean =>
  next.kind === "line" || next.kind === "ended" || step.kind === "bookmark" || step.warning !== null;

/** Backward's parts follow the node that ran; forward's parts precede the tensor they make. */
function endsOperation(step: Step, next: Step): boolean {
  if (next.kind === "line" || next.kind === "node_ran" || next.kind === "ended" || step.warning !== null) return true;
  if (step.kind === "line" || step.kind === "node_made" || step.kind === "tensor_saved") return false;
  return next.kind === "node_made" || !PARTS.has(next.kind);
}

/** The nearest stop after `step`, or the last one. */
export function nextStop(all: Int32Array, step: number): number {
  return all.find((stop) => stop > step) ?? all.at(-1) ?? 0;
}

/** The nearest stop before `step`, or the very beginning. */
export function previousStop(all: Int32Array, step: number): number {
  return all.findLast((stop) => stop < step) ?? 0;
}

/** The first step of the line that `step` belongs to, or a later one when that is more than `reach` steps back. */
export function lineStart(trace: Trace, step: number, reach = Number.POSITIVE_INFINITY): number {
  const least = Math.max(0, step - reach);
  let first = step;
  while (first > least && trace.steps[first]?.kind !== "line" && trace.steps[first]?.kind !== "ended") first--;
  return first;
}

/** The first and last step of the line that `step` belongs to. */
export function lineGroup(trace: Trace, step: number): [number, number] {
  const first = lineStart(trace, step);
  let last = step;
  while (
    last + 1 < trace.steps.length &&
    trace.steps[last + 1]?.kind !== "line" &&
    trace.steps[last + 1]?.kind !== "ended"
  )
    last++;
  return [first, Math.max(first, last)];
}
