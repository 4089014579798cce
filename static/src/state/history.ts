import type { Step, Trace } from "../trace/types";
import { Recorder, type Timeline } from "./timeline";

/** A step of one kind. */
export type StepOf<K extends Step["kind"]> = Extract<Step, { kind: K }>;

/** A trace with, for everything that can change, when it changed. Built once; read at any step. */
export interface History {
  readonly trace: Trace;
  /** Per tensor: made, written in place, moved by an optimizer. */
  readonly values: Timeline;
  /** Per tensor: its place in the graph found, by an operation, a write in place, a switch, or a way out of it. */
  readonly origins: Timeline;
  /** Per tensor: `.grad` stored, set, written in place or zeroed. */
  readonly gradients: Timeline;
  /** Per saved slot (`savedSlot`): saved or freed. */
  readonly saved: Timeline;
  /** Per edge (`edgeSlot`): a message sent along it, a broadcast undone on it. */
  readonly messages: Timeline;
  /** Per node: what waits in its input buffer, and that it ran. */
  readonly buffers: Timeline;
  /** Per name (`names`): bound, unbound; per place: what lies there was made. */
  readonly bindings: Timeline;
  /** Per line, 1-based: reached. */
  readonly lines: Timeline;
  /** Per line, 1-based: a tensor made or written there. */
  readonly results: Timeline;
  /** One slot: backward passes begun and ended. */
  readonly passes: Timeline;
  /** For every backward pass, by its number, the step at which it began. */
  readonly passStart: ReadonlyMap<number, number>;
  /** One slot: steps that wrote output. */
  readonly output: Timeline;
  /** Names in order of first binding, then the places that hold a tensor (`model.weight`, `weights[0]`). */
  readonly names: readonly string[];
  readonly savedStart: Int32Array;
  readonly edgeStart: Int32Array;
}

export function buildHistory(trace: Trace): History {
  const savedStart = cumulate(trace.nodes.map((node) => node.saved.length));
  const edgeStart = cumulate(trace.nodes.map((node) => node.edges.length));
  const names: string[] = [];
  const passStart = new Map<number, number>();
  const nameIndex = new Map<string, number>();
  const nameSlot = (name: string): number => {
    let slot = nameIndex.get(name);
    if (slot === undefined) {
      slot = names.push(name) - 1;
      nameIndex.set(name, slot);
    }
    return slot;
  };
  const [values, gradients, saved, messages] = [new Recorder(), new Recorder(), new Recorder(), new Recorder()];
  const [buffers, bindings, passes, output] = [new Recorder(), new Recorder(), new Recorder(), new Recorder()];
  const [lines, results, origins] = [new Recorder(), new Recorder(), new Recorder()];
  for (const [index, step] of trace.steps.entries()) {
    for (const tensor of placed(trace, step)) origins.record(tensor, index);
    switch (step.kind) {
      case "line":
        if (step.span) lines.record(step.span.line, index);
        break;
      case "tensor_made":
        // A module's parameters are not what its line gives.
        if (step.span && trace.tensors[step.tensor]?.role !== "parameter") results.record(step.span.line, index);
        values.record(step.tensor, index);
        break;
      case "value_written":
        if (step.span) results.record(step.span.line, index);
        for (const tensor of [step.tensor, ...step.shared_with]) {
          const owner = trace.tensors[tensor]?.gradient_of;
          if (owner != null) gradients.record(owner, index);
          values.record(tensor, index);
        }
        break;
      case "optimizer_stepped":
        for (const change of step.changes) values.record(change.tensor, index);
        break;
      case "steps_left_out":
        passes.record(0, index);
        if (step.output !== "") output.record(0, index);
        for (const { tensor } of step.standings) {
          values.record(tensor, index);
          gradients.record(tensor, index);
        }
        break;
      case "tensor_saved": {
        const position = trace.nodes[step.node]?.saved.findIndex((each) => each.name === step.name) ?? -1;
        if (position >= 0) saved.record((savedStart[step.node] ?? 0) + position, index);
        break;
      }
      case "buffers_freed":
        for (const [position] of (trace.nodes[step.node]?.saved ?? []).entries())
          saved.record((savedStart[step.node] ?? 0) + position, index);
        break;
      case "name_bound":
      case "name_unbound":
        bindings.record(nameSlot(step.name), index);
        break;
      case "backward_started":
        passes.record(0, index);
        passStart.set(step.call, index);
        for (const root of step.roots) {
          const node = trace.tensors[root]?.grad_fn ?? trace.tensors[root]?.accumulator;
          if (node != null) buffers.record(node, index);
        }
        break;
      case "backward_ended":
        passes.record(0, index);
        break;
      case "message_sent":
        messages.record((edgeStart[step.node] ?? 0) + step.slot, index);
        buffers.record(step.to, index);
        break;
      case "broadcast_undone":
        messages.record((edgeStart[step.node] ?? 0) + step.slot, index);
        break;
      case "messages_summed":
      case "node_ran":
        buffers.record(step.node, index);
        break;
      case "gradient_stored":
      case "gradient_set":
        gradients.record(step.tensor, index);
        if (step.kind === "gradient_stored" && step.node !== null && !step.retained) buffers.record(step.node, index);
        break;
      case "gradients_zeroed":
        for (const tensor of step.tensors) gradients.record(tensor, index);
        break;
      case "printed":
        output.record(0, index);
        break;
    }
  }
  // What is given, and has no name bound to it, goes by its place: a module's parameter, an element of a list.
  const bound = new Set(names);
  for (const { label, names: known, role, step } of trace.tensors)
    if (role !== "intermediate" && known.includes(label) && !bound.has(label)) bindings.record(nameSlot(label), step);
  const [tensorCount, nodeCount, lineCount] = [
    trace.tensors.length,
    trace.nodes.length,
    trace.code.split("\n").length + 1,
  ];
  return {
    trace,
    names,
    savedStart,
    edgeStart,
    values: values.finish(tensorCount),
    origins: origins.finish(tensorCount),
    gradients: gradients.finish(tensorCount),
    saved: saved.finish(savedStart[nodeCount] ?? 0),
    messages: messages.finish(edgeStart[nodeCount] ?? 0),
    buffers: buffers.finish(nodeCount),
    bindings: bindings.finish(names.length),
    lines: lines.finish(lineCount),
    results: results.finish(lineCount),
    passes: passes.finish(1),
    passStart,
    output: output.finish(1),
  };
}

/** The tensors whose `grad_fn` or `requires_grad` a step decides. */
function placed(trace: Trace, step: Step): readonly number[] {
  switch (step.kind) {
    case "node_made":
      return trace.nodes[step.node]?.outputs ?? [];
    case "tensor_made":
    case "requires_grad_changed":
      return [step.tensor];
    case "graph_left":
      return step.source === step.result ? [step.source] : [];
    default:
      return [];
  }
}

function cumulate(counts: readonly number[]): Int32Array {
  const starts = new Int32Array(counts.length + 1);
  for (const [i, count] of counts.entries()) starts[i + 1] = (starts[i] ?? 0) + count;
  return starts;
}
