import type { Step } from "../trace/types";
import type { Tables } from "./history";

/** The slots of a timeline whose state a step changes: of tensors, nodes, edges or lines, by their numbers. */
export type Touched = (step: Step, tables: Tables) => readonly number[];

const NONE: readonly number[] = [];
/** What can only be touched as a whole has one slot. */
const ALL: readonly number[] = [0];

/** Tensors made, written in place, moved by an optimizer. */
export const values: Touched = (step) => {
  switch (step.kind) {
    case "tensor_made":
      return [step.tensor];
    case "value_written":
      return [step.tensor, ...step.shared_with];
    case "optimizer_stepped":
      return step.changes.map(({ tensor }) => tensor);
    case "steps_left_out":
      return step.standings.map(({ tensor }) => tensor);
    default:
      return NONE;
  }
};

/** Tensors whose `.grad` was stored, set, written in place or zeroed. */
export const gradients: Touched = (step, tables) => {
  switch (step.kind) {
    case "gradient_stored":
    case "gradient_set":
      return [step.tensor];
    case "gradients_zeroed":
      return step.tensors;
    case "value_written":
      return values(step, tables).flatMap((tensor) => tables.trace.tensors[tensor]?.gradient_of ?? NONE);
    case "steps_left_out":
      return values(step, tables);
    default:
      return NONE;
  }
};

/** Tensors whose `grad_fn` or `requires_grad` a step decides: an operation, a write in place, a switch, a way out of the graph. */
export const origins: Touched = (step, { trace }) => {
  switch (step.kind) {
    case "node_made":
      return trace.nodes[step.node]?.outputs ?? NONE;
    case "tensor_made":
    case "requires_grad_changed":
      return [step.tensor];
    case "graph_left":
      return step.source === step.result ? [step.source] : NONE;
    default:
      return NONE;
  }
};

/** Saved slots filled or freed. */
export const saved: Touched = (step, { trace, savedStart }) => {
  if (step.kind !== "tensor_saved" && step.kind !== "buffers_freed") return NONE;
  return (trace.nodes[step.node]?.saved ?? []).flatMap(({ name }, position) =>
    step.kind === "buffers_freed" || name === step.name ? (savedStart[step.node] ?? 0) + position : NONE,
  );
};

/** Edges that a message was sent along, or on which a broadcast was undone. */
export const messages: Touched = (step, { edgeStart }) =>
  step.kind === "message_sent" || step.kind === "broadcast_undone" ? [(edgeStart[step.node] ?? 0) + step.slot] : NONE;

/** Nodes whose input buffer was filled, or emptied by running. */
export const buffers: Touched = (step, { trace: { tensors } }) => {
  switch (step.kind) {
    case "backward_started":
      return step.roots.flatMap((root) => tensors[root]?.grad_fn ?? tensors[root]?.accumulator ?? NONE);
    case "message_sent":
      return [step.to];
    case "messages_summed":
    case "node_ran":
      return [step.node];
    case "gradient_stored":
      return step.node === null || step.retained ? NONE : [step.node];
    default:
      return NONE;
  }
};

/** Lines reached. */
export const lines: Touched = ({ kind, span }) => (kind === "line" && span ? [span.line] : NONE);

/** Lines on which a tensor was made or written; a module's parameters are not what its line gives. */
export const results: Touched = (step, { trace }) => {
  const given =
    step.kind === "value_written" || (step.kind === "tensor_made" && trace.tensors[step.tensor]?.role !== "parameter");
  return given && step.span ? [step.span.line] : NONE;
};

/** Backward passes begun and ended. */
export const passes: Touched = ({ kind }) =>
  kind === "backward_started" || kind === "backward_ended" || kind === "steps_left_out" ? ALL : NONE;

/** Output written. */
export const output: Touched = (step) =>
  step.kind === "printed" || (step.kind === "steps_left_out" && step.output !== "") ? ALL : NONE;
