import type { Standing, Value } from "../trace/types";
import type { History, StepOf } from "./history";

/**
 * What is true at one step. Every function here is pure: (history, something, step) → what to show, together with the
 * step that caused it.
 */

/** Not there yet; there and `None`; or there with a value. Three kinds of nothing that must never look alike. */
export type Slot =
  | { readonly state: "not_yet" }
  | { readonly state: "none"; readonly cause: number }
  | { readonly state: "value"; readonly value: Value; readonly cause: number };

const NOT_YET: Slot = { state: "not_yet" };

/** The value of a tensor. */
export function tensorValue(history: History, tensor: number, step: number): Slot {
  const cause = history.values.at(tensor, step);
  const event = history.trace.steps[cause];
  switch (event?.kind) {
    case "tensor_made":
      return fromValue(event.value, cause);
    case "value_written": {
      // What shares the memory that was written sees it in its own shape.
      const shared = event.tensor === tensor ? event.value : event.shared_values[event.shared_with.indexOf(tensor)];
      return shared ? fromValue(shared, cause) : NOT_YET;
    }
    case "optimizer_stepped": {
      const change = event.changes.find((each) => each.tensor === tensor);
      return change ? fromValue(change.after, cause) : NOT_YET;
    }
    case "steps_left_out": {
      const standing = standingOf(event, tensor);
      return standing ? fromValue(standing.value, cause) : NOT_YET;
    }
    default: {
      // A detached tensor has no event of its own: it is there from the step that cut it off.
      const tensorRecord = history.trace.tensors[tensor];
      if (!tensorRecord?.value || step < tensorRecord.step) return NOT_YET;
      return fromValue(tensorRecord.value, tensorRecord.step);
    }
  }
}

function standingOf(event: StepOf<"steps_left_out">, tensor: number): Standing | undefined {
  return event.standings.find((each) => each.tensor === tensor);
}

/** The node that carries a tensor's gradient on, and whether it is tracked: a write in place or a switch changes them. */
export function origin(
  history: History,
  tensor: number,
  step: number,
): { readonly gradFn: number | null; readonly tracked: boolean } {
  const event = history.trace.steps[history.origins.at(tensor, step)];
  const record = history.trace.tensors[tensor];
  switch (event?.kind) {
    case "node_made":
      return { gradFn: event.node, tracked: true };
    case "tensor_made":
      return { gradFn: event.node, tracked: event.requires_grad };
    case "requires_grad_changed":
      return { gradFn: null, tracked: event.requires_grad };
    case "graph_left":
      return { gradFn: null, tracked: false };
    default:
      return { gradFn: record?.grad_fn ?? null, tracked: record?.requires_grad ?? false };
  }
}

/** How often a line has been reached, what was left out of the trace included. */
export function timesReached(history: History, line: number, step: number): number {
  const event = history.trace.steps[history.lines.at(line, step)];
  return event?.kind === "line" ? event.times : 0;
}

/** The version counter of a tensor: how often it was written in place. */
export function tensorVersion(history: History, tensor: number, step: number): number {
  let standing: number | undefined;
  for (const cause of history.values.changes(tensor).toReversed()) {
    const event = history.trace.steps[cause];
    if (cause > step) continue;
    if (event?.kind === "value_written") return standing ?? event.version_after;
    if (event?.kind === "steps_left_out") standing ??= standingOf(event, tensor)?.version;
  }
  return 0;
}

/** `.grad` of a tensor. Before the tensor exists there is nothing yet; from then on it is `None` until something is stored. */
export function tensorGradient(history: History, tensor: number, step: number): Slot {
  const record = history.trace.tensors[tensor];
  if (!record || step < record.step) return NOT_YET;
  const cause = history.gradients.at(tensor, step);
  const event = history.trace.steps[cause];
  if (event?.kind === "gradient_stored") return fromValue(event.new, cause);
  if (event?.kind === "gradient_set") return fromValue(event.value, cause);
  if (event?.kind === "value_written") {
    // Into it, or by way of another tensor that sees its memory.
    const through = event.shared_with.find((other) => history.trace.tensors[other]?.gradient_of === tensor);
    return tensorValue(history, through ?? event.tensor, cause);
  }
  const stands = event?.kind === "steps_left_out" ? standingOf(event, tensor)?.gradient : null;
  if (stands) return fromValue(stands, cause);
  if (event?.kind === "gradients_zeroed" && !event.to_none && record.value)
    return fromValue(zerosLike(record.value), cause);
  return { state: "none", cause: Math.max(cause, record.step) };
}

/** The gradient that `zero_grad(set_to_none=False)` leaves: as many zeros as the tensor has elements. */
function zerosLike(like: Value): Value {
  const text = like.shape.length === 0 ? "0" : `0 [${like.shape.join(", ")}]`;
  const data = like.data?.map(() => 0) ?? null;
  const thumbnail = like.thumbnail?.map((row) => row.map(() => 0)) ?? null;
  return { ...like, text, data, thumbnail, low: 0, high: 0, nonfinite: 0, nan: 0 };
}

export type SavedState = "not_yet" | "held" | "freed";

/** Whether a node holds one of its saved things. */
export function savedState(history: History, node: number, position: number, step: number): SavedState {
  const event = history.trace.steps[history.saved.at((history.savedStart[node] ?? 0) + position, step)];
  if (event?.kind === "tensor_saved") return "held";
  return event?.kind === "buffers_freed" ? "freed" : "not_yet";
}

/** A backward pass, under way or the last one that ended. */
export interface Pass {
  readonly call: number;
  readonly started: number;
  readonly running: boolean;
}

export function currentPass(history: History, step: number): Pass | null {
  const cause = history.passes.at(0, step);
  const event = history.trace.steps[cause];
  if (event?.kind === "backward_started") return { call: event.call, started: cause, running: true };
  if (event?.kind !== "backward_ended") return null;
  return { call: event.call, started: history.passStart.get(event.call) ?? 0, running: false };
}

/** What has come into a node in a pass: nothing yet, messages that wait, or messages that it has worked on. */
export interface Arrivals {
  readonly gradient: Slot;
  /** A message that lies beside a waiting one and is about to be added to it. */
  readonly joining: Value | null;
  readonly phase: "empty" | "waiting" | "ran";
  /** Whether this very step brought the latest message. */
  readonly justIn: boolean;
  /** Whether this very step added up what waited here. */
  readonly justSummed: boolean;
}

const NO_ARRIVALS: Arrivals = { gradient: NOT_YET, joining: null, phase: "empty", justIn: false, justSummed: false };

export function nodeArrivals(history: History, node: number, step: number, pass: Pass | null): Arrivals {
  if (!pass) return NO_ARRIVALS;
  const cause = history.buffers.at(node, step);
  if (cause < pass.started) return NO_ARRIVALS;
  const event = history.trace.steps[cause];
  const holds = (value: Value | null, phase: "waiting" | "ran"): Arrivals => ({
    gradient: fromValue(value, cause),
    joining: null,
    phase,
    justIn: false,
    justSummed: false,
  });
  switch (event?.kind) {
    case "node_ran":
      return holds(event.gradients.find((each) => each !== null) ?? null, "ran");
    case "gradient_stored":
      return holds(event.incoming, "ran");
    case "messages_summed":
      return { ...holds(event.value, "waiting"), justSummed: cause === step };
    case "backward_started":
      return holds(seedFor(event, history, node), "waiting");
    case "message_sent": {
      const justIn = cause === step;
      const earlier = history.buffers.at(node, cause - 1);
      const before = earlier >= pass.started ? nodeArrivals(history, node, earlier, pass) : NO_ARRIVALS;
      if (before.phase !== "waiting" || before.gradient.state !== "value")
        return { ...holds(event.value, "waiting"), justIn };
      return { gradient: before.gradient, joining: event.value, phase: "waiting", justIn, justSummed: false };
    }
    default:
      return NO_ARRIVALS;
  }
}

function seedFor(event: StepOf<"backward_started">, history: History, node: number): Value | null {
  const index = event.roots.findIndex(
    (root) => history.trace.tensors[root]?.grad_fn === node || history.trace.tensors[root]?.accumulator === node,
  );
  return event.seeds[index] ?? null;
}

const fromValue = (value: Value | null, cause: number): Slot =>
  value ? { state: "value", value, cause } : { state: "none", cause };

/** The last message along one edge in a pass. */
export function edgeMessage(history: History, node: number, slot: number, step: number, pass: Pass | null): Slot {
  if (!pass) return NOT_YET;
  const cause = history.messages.at((history.edgeStart[node] ?? 0) + slot, step);
  const event = history.trace.steps[cause];
  if (cause < pass.started || event?.kind !== "message_sent") return NOT_YET;
  return fromValue(event.value, cause);
}

/** What a name means: a tensor, or nothing (yet, or any more). */
export interface Binding {
  readonly name: string;
  readonly state: "not_yet" | "bound" | "gone";
  readonly tensor: number | null;
  readonly cause: number;
}

export function bindings(history: History, step: number): Binding[] {
  return history.names.map((name, slot) => bindingIn(history, name, slot, step));
}

/** What one name means; nothing for a name that is never bound. */
export function bindingOf(history: History, name: string, step: number): Binding | null {
  const slot = history.names.indexOf(name);
  return slot < 0 ? null : bindingIn(history, name, slot, step);
}

function bindingIn(history: History, name: string, slot: number, step: number): Binding {
  const cause = history.bindings.at(slot, step);
  const event = history.trace.steps[cause];
  if (event && "tensor" in event) return { name, state: "bound", tensor: event.tensor, cause };
  if (event?.kind === "graph_left") return { name, state: "bound", tensor: event.result, cause };
  return { name, state: event ? "gone" : "not_yet", tensor: null, cause };
}

/** What was printed so far, with the step of each piece: the last pieces, `most` of them. */
export function printed(
  history: History,
  step: number,
  most = Number.POSITIVE_INFINITY,
): { readonly step: number; readonly text: string; readonly stream: string }[] {
  const count = history.output.count(0, step);
  return [...history.output.changes(0).subarray(Math.max(0, count - most), count)].flatMap((index) => {
    const event = history.trace.steps[index];
    if (event?.kind === "steps_left_out") return [{ step: index, text: event.output, stream: "stdout" }];
    return event?.kind === "printed" ? [{ step: index, text: event.output, stream: event.stream }] : [];
  });
}
