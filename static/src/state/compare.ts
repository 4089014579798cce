import type { Span, Trace } from "../trace/types";
import { bindingOf, nodeArrivals, type Pass, type Slot, tensorGradient, tensorValue } from "./frame";
import type { History } from "./history";

/** Two runs beside one another: what in one is what in the other. */
export interface Match {
  /** Node of one run → the same node of the other, or −1. */
  readonly nodes: Int32Array;
  readonly tensors: Int32Array;
  /** Step of one run → the last step of the other that is the same, or came before. */
  readonly steps: Int32Array;
}

/** Finds everything of `one` in `other`, by source text and how often that text was met before. */
export function matchRuns(one: Trace, other: Trace): Match {
  const nodes = pairUp(nodeKeys(one), nodeKeys(other));
  const tensors = pairUp(tensorKeys(one), tensorKeys(other));
  const steps = pairUp(stepKeys(one), stepKeys(other));
  // What has no twin is shown with the twin of what came before; time never runs backwards.
  let last = 0;
  for (const [index, twin] of steps.entries()) {
    if (twin >= last) last = twin;
    steps[index] = last;
  }
  if (steps.length > 0) steps[steps.length - 1] = other.steps.length - 1;
  return { nodes, tensors, steps };
}

function pairUp(one: readonly string[], other: readonly string[]): Int32Array {
  const places = new Map<string, number>();
  for (const [index, key] of counted(other).entries()) places.set(key, index);
  return Int32Array.from(counted(one), (key) => places.get(key) ?? -1);
}

/** Keys made unique by counting equal ones. */
function counted(keys: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return keys.map((key) => {
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return `${key}#${count}`;
  });
}

const nodeKeys = (trace: Trace): string[] => {
  const read = sourceReader(trace);
  return trace.nodes.map(
    (node) => `${node.name}|${node.leaf === null ? read(node.span) : trace.tensors[node.leaf]?.label}`,
  );
};

/** Results by the text that made them; leaves by their names, for the text that makes them is what people edit. */
const tensorKeys = (trace: Trace): string[] => {
  const read = sourceReader(trace);
  return trace.tensors.map((tensor) =>
    tensor.grad_fn === null ? `leaf|${tensor.label}` : `result|${read(tensor.span)}|${tensor.output_nr}`,
  );
};

const stepKeys = (trace: Trace): string[] => {
  const read = sourceReader(trace);
  return trace.steps.map((step) => {
    const node = "node" in step && step.node !== null ? trace.nodes[step.node]?.name : "";
    const tensor = "tensor" in step && step.tensor !== null ? trace.tensors[step.tensor]?.label : "";
    return `${step.kind}|${node}|${tensor}|${tensor ? "" : read(step.span)}`;
  });
};

function sourceReader(trace: Trace): (span: Span | null) => string {
  const lines = trace.code.split("\n");
  return (span) => {
    if (!span) return "";
    if (span.line === span.end_line) return lines[span.line - 1]?.slice(span.column, span.end_column) ?? "";
    return lines.slice(span.line - 1, span.end_line).join("\n");
  };
}

/** What differs between a thing and its twin. */
export type Difference = "" | "alone" | "value" | "gradient";

/** One run at one step. */
export interface At {
  readonly history: History;
  readonly step: number;
  readonly pass: Pass | null;
}

/** How a node with its result, or a tensor alone, differs from its twin in another run. */
export function differenceOf(
  match: Match,
  one: At,
  other: At,
  { node, tensor }: { readonly node: number | null; readonly tensor: number | null },
): Difference {
  const twinNode = node === null ? null : (match.nodes[node] ?? -1);
  const twin = tensor === null ? null : (match.tensors[tensor] ?? -1);
  if (twinNode === -1 || twin === -1) return "alone";
  if (tensor !== null && twin !== null) {
    if (differs(tensorValue(one.history, tensor, one.step), tensorValue(other.history, twin, other.step)))
      return "value";
    if (differs(tensorGradient(one.history, tensor, one.step), tensorGradient(other.history, twin, other.step)))
      return "gradient";
  }
  if (node !== null && twinNode !== null) {
    const [mine, theirs] = [arrived(one, node), arrived(other, twinNode)];
    if (differs(mine, theirs)) return "gradient";
  }
  return "";
}

const arrived = ({ history, step, pass }: At, node: number): Slot => nodeArrivals(history, node, step, pass).gradient;

/** Different where both are there; what is not computed yet on one side is no difference. */
function differs(one: Slot, other: Slot): boolean {
  if (one.state === "not_yet" || other.state === "not_yet") return false;
  if (one.state === "none" || other.state === "none") return one.state !== other.state;
  const [a, b] = [one.value, other.value];
  return (
    a.text !== b.text ||
    JSON.stringify([a.shape, a.data ?? a.thumbnail]) !== JSON.stringify([b.shape, b.data ?? b.thumbnail])
  );
}

/** Something in each of two runs; null in one where its name is never bound. */
export interface Pair {
  readonly slots: readonly [Slot | null, Slot | null];
  readonly differs: boolean;
}

/** A name in two runs. */
export interface Row {
  readonly name: string;
  readonly value: Pair;
  readonly gradient: Pair;
}

/** Every name of either run, with what it is in each. */
export function compareNames(before: At, now: At): Row[] {
  const names = [...new Set([...now.history.names, ...before.history.names])];
  return names.map((name) => {
    const [a, b] = [slotsOf(before, name), slotsOf(now, name)];
    return { name, value: pairOf(a?.value, b?.value), gradient: pairOf(a?.gradient, b?.gradient) };
  });
}

const pairOf = (a: Slot | null = null, b: Slot | null = null): Pair => ({
  slots: [a, b],
  differs: !a || !b || differs(a, b),
});

const NOT_YET: Slot = { state: "not_yet" };

function slotsOf({ history, step }: At, name: string): { value: Slot; gradient: Slot } | null {
  const binding = bindingOf(history, name, step);
  if (!binding) return null;
  const { tensor } = binding;
  if (tensor === null) return { value: NOT_YET, gradient: NOT_YET };
  return { value: tensorValue(history, tensor, step), gradient: tensorGradient(history, tensor, step) };
}
