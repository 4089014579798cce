import type { Step, Trace } from "../trace/types";
import { type Change, Timeline } from "./timeline";
import type { Touched } from "./touched";
import * as touched from "./touched";

/** A step of one kind. */
export type StepOf<K extends Step["kind"]> = Extract<Step, { kind: K }>;

/** What slots are numbered by. */
export type Tables = Pick<History, "trace" | "savedStart" | "edgeStart">;

/** A trace with, for everything that can change, when it changed. Built once; read at any step. */
export interface History {
  readonly trace: Trace;
  /** Per tensor: made, written in place, moved by an optimizer. */
  readonly values: Timeline;
  /** Per tensor: its place in the graph found, by an operation, a write in place, a switch, or a way out of it. */
  readonly origins: Timeline;
  /** Per tensor: `.grad` stored, set, written in place or zeroed. */
  readonly gradients: Timeline;
  /** Per saved slot (a node's begin at its `savedStart`): saved or freed. */
  readonly saved: Timeline;
  /** Per edge (a node's begin at its `edgeStart`): a message sent along it, a broadcast undone on it. */
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
  /** Per node: the slot of the first thing that it saved. */
  readonly savedStart: Int32Array;
  /** Per node: the slot of its first edge. */
  readonly edgeStart: Int32Array;
}

/** Goes through the steps once for each timeline: what touches one is told in one place (`touched`). */
export function buildHistory(trace: Trace): History {
  const { nodes, tensors, steps } = trace;
  const savedStart = cumulate(nodes.map((node) => node.saved.length));
  const edgeStart = cumulate(nodes.map((node) => node.edges.length));
  const tables = { trace, savedStart, edgeStart };
  const lineCount = trace.code.split("\n").length + 1;
  const timeline = (slots: number, slotsTouched: Touched): Timeline => {
    const changes: Change[] = [];
    steps.forEach((step, index) => {
      const found = slotsTouched(step, tables);
      // Nearly all steps touch none, and to find that out by going through none takes twice as long.
      if (found.length) for (const slot of found) changes.push([slot, index]);
    });
    return Timeline.from(slots, changes);
  };
  return {
    ...tables,
    ...bindingsIn(trace),
    values: timeline(tensors.length, touched.values),
    origins: timeline(tensors.length, touched.origins),
    gradients: timeline(tensors.length, touched.gradients),
    saved: timeline(savedStart.at(-1) ?? 0, touched.saved),
    messages: timeline(edgeStart.at(-1) ?? 0, touched.messages),
    buffers: timeline(nodes.length, touched.buffers),
    lines: timeline(lineCount, touched.lines),
    results: timeline(lineCount, touched.results),
    passes: timeline(1, touched.passes),
    passStart: new Map(steps.flatMap((step, index) => (step.kind === "backward_started" ? [[step.call, index]] : []))),
    output: timeline(1, touched.output),
  };
}

/** What names mean, and what lies at places: what is given, and has no name bound to it, goes by its place. */
function bindingsIn({ steps, tensors }: Trace): Pick<History, "names" | "bindings"> {
  const slots = new Map<string, number>();
  const changes: Change[] = [];
  const record = (name: string, step: number): void => {
    const slot = slots.get(name) ?? slots.size;
    slots.set(name, slot);
    changes.push([slot, step]);
  };
  for (const [index, step] of steps.entries())
    if (step.kind === "name_bound" || step.kind === "name_unbound") record(step.name, index);
  const bound = new Set(slots.keys());
  for (const { label, names, role, step } of tensors)
    if (role !== "intermediate" && names.includes(label) && !bound.has(label)) record(label, step);
  return { names: [...slots.keys()], bindings: Timeline.from(slots.size, changes) };
}

function cumulate(counts: readonly number[]): Int32Array {
  const starts = new Int32Array(counts.length + 1);
  for (const [i, count] of counts.entries()) starts[i + 1] = (starts[i] ?? 0) + count;
  return starts;
}
