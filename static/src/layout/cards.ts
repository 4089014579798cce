import type { Node, Tensor, Trace, Value } from "../trace/types";
import { argumentTensors } from "./arguments";
import { type Fates, fatesIn, remarkOn } from "./fates";
import { type Parts, planParts } from "./parts";

/** One card on the stage: a leaf with its door into the graph, a recorded operation with its result, or an untracked tensor. */
export interface Card {
  readonly kind: "leaf" | "operation" | "constant" | "group";
  /** Unique among cards and stable between runs of similar code. */
  readonly key: string;
  readonly tensor: number | null;
  readonly node: number | null;
  /** The step at which it comes into being. */
  readonly step: number;
  /** The scope, or the stretch of a long one, that it belongs to: a number of `Parts`. */
  readonly scope: number;
  readonly title: string;
  readonly value: ValueBlock;
  /** What its tensor is beyond that kind. */
  readonly remark: string;
  /** Whether it shows a tensor that already has a card elsewhere. */
  readonly repeats: boolean;
  /** The version it will end with, which has to be shown if it is written in place; else 0. */
  readonly written: number;
  /** Whether it is a result that will keep its gradient, as `retain_grad()` asks. */
  readonly retains: boolean;
  /** For a group: how many operations are inside it, and the parts (loop turns, modules, calls) that it stands for. */
  readonly operations: number;
  readonly parts: readonly number[];
}

/** A connection between two cards. */
export interface Thread {
  readonly from: number;
  readonly to: number;
  /** Place among the arguments of the receiving operation. */
  readonly port: number;
  /** The operation's node and edge slot; a thread of an untracked argument has none, and no gradient travels on it. */
  readonly node: number | null;
  readonly slot: number;
  readonly argument: string;
  /** For a value that left the graph: how (`detach`, `no_grad` …); empty otherwise. */
  readonly left: string;
  readonly step: number;
  /** For a thread to or from a folded part: other edges that it stands for as well. */
  readonly strands: readonly { readonly node: number | null; readonly slot: number }[];
}

export interface CardGraph {
  readonly cards: readonly Card[];
  readonly threads: readonly Thread[];
  /** Node → its card; for an AccumulateGrad, the card of its leaf. */
  readonly cardOfNode: Int32Array;
  /** Tensor → the card that shows it, or −1. */
  readonly cardOfTensor: Int32Array;
  readonly parts: Parts;
  /** Nodes of recorded operations, in order. */
  readonly recorded: Int32Array;
  /** For every card its scope, and for every thread its two cards: columns, for what goes over them again and again. */
  readonly scopeOfCard: Int32Array;
  readonly ends: Int32Array;
}

/** The columns of some cards and threads. */
export const columnsOf = (
  cards: readonly Card[],
  threads: readonly Thread[],
): Pick<CardGraph, "scopeOfCard" | "ends"> => ({
  scopeOfCard: Int32Array.from(cards, (card) => card.scope),
  ends: Int32Array.from(threads.flatMap(({ from, to }) => [from, to])),
});

/** How a value will be shown, and how much room it takes. Fixed for a card, so that nothing moves when values change. */
export type ValueBlock =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly characters: number }
  | { readonly kind: "cells"; readonly rows: number; readonly columns: number; readonly numbers: boolean };

const MOST_TEXT = 10;
const MOST_NUMBER_COLUMNS = 4;
const MOST_NUMBER_ROWS = 4;

/** Numbers while they are few, a heatmap when they are many. */
export function blockFor(value: Value | null): ValueBlock {
  if (!value) return { kind: "none" };
  if (value.shape.length === 0 || ((value.data?.length ?? 0) === 0 && !value.thumbnail))
    return { kind: "text", characters: Math.min(MOST_TEXT, Math.max(3, value.text.length)) };
  const [rows, columns] = gridOf(value);
  const numbers = rows <= MOST_NUMBER_ROWS && columns <= MOST_NUMBER_COLUMNS && value.data !== null;
  return { kind: "cells", rows, columns, numbers };
}

/** Rows and columns in which the elements of a value are laid: the last axis runs across. */
export function gridOf(value: Value): [number, number] {
  if (value.data) {
    const columns = value.shape.at(-1) ?? 1;
    return [columns > 0 ? value.data.length / columns : 0, columns];
  }
  return [value.thumbnail?.length ?? 0, value.thumbnail?.[0]?.length ?? 0];
}

/** Turns a trace into cards and threads. */
export function buildCards(trace: Trace): CardGraph {
  const cards: Card[] = [];
  const parts = planParts(trace);
  const cardOfNode = new Int32Array(trace.nodes.length).fill(-1);
  const cardOfTensor = new Int32Array(trace.tensors.length).fill(-1);
  const passed = argumentTensors(trace);
  const shown = untrackedToShow(trace, passed);
  const fates = fatesIn(trace);
  const entries = [
    ...trace.tensors.flatMap((tensor, id) =>
      isLeaf(tensor) || shown.has(id) ? [{ step: tensor.step, tensor: id, node: null }] : [],
    ),
    ...trace.nodes.flatMap((node, id) => (node.leaf === null ? [{ step: node.step, tensor: null, node: id }] : [])),
  ].sort((a, b) => a.step - b.step);
  for (const entry of entries) {
    const index =
      cards.push(
        entry.node === null
          ? tensorCard(trace, parts, entry.tensor ?? 0, fates)
          : operationCard(trace, parts, entry.node, fates),
      ) - 1;
    if (entry.node !== null) {
      cardOfNode[entry.node] = index;
      for (const output of trace.nodes[entry.node]?.outputs ?? []) cardOfTensor[output] = index;
    } else {
      cardOfTensor[entry.tensor ?? 0] = index;
    }
  }
  for (const [id, node] of trace.nodes.entries())
    if (node.leaf !== null) cardOfNode[id] = cardOfTensor[node.leaf] ?? -1;
  const threads = buildThreads(trace, passed, cardOfNode, cardOfTensor);
  const recorded = Int32Array.from(trace.nodes.flatMap((node, id) => (node.leaf === null ? [id] : [])));
  return { cards, threads, cardOfNode, cardOfTensor, parts, recorded, ...columnsOf(cards, threads) };
}

const isLeaf = (tensor: Tensor): boolean => tensor.role === "leaf" || tensor.role === "parameter";

function tensorCard(trace: Trace, parts: Parts, id: number, { written, roots }: Fates): Card {
  const tensor = trace.tensors[id] as Tensor;
  return {
    kind: isLeaf(tensor) ? "leaf" : "constant",
    key: `tensor:${tensor.span?.line ?? 0}:${tensor.span?.column ?? 0}:${tensor.label}:${id}`,
    tensor: id,
    node: tensor.accumulator,
    step: tensor.step,
    scope: parts.ofTensor[id] ?? 0,
    title: tensor.label,
    value: blockFor(tensor.value),
    remark: remarkOn(tensor, roots.has(id)),
    repeats: false,
    written: written.get(id) ?? 0,
    retains: false,
    operations: 0,
    parts: [],
  };
}

function operationCard(trace: Trace, parts: Parts, id: number, { written, retained, roots }: Fates): Card {
  const node = trace.nodes[id] as Node;
  const output = node.outputs[0] ?? null;
  const tensor = output === null ? null : (trace.tensors[output] ?? null);
  return {
    kind: "operation",
    key: `node:${node.span?.line ?? 0}:${node.span?.column ?? 0}:${node.name}:${id}`,
    tensor: output,
    node: id,
    step: node.step,
    scope: parts.ofNode[id] ?? 0,
    title: tensor?.label ?? node.operator,
    value: blockFor(tensor?.value ?? null),
    remark: output === null || !tensor ? "" : remarkOn(tensor, roots.has(output)),
    repeats: false,
    written: (output === null ? null : written.get(output)) ?? 0,
    retains: output !== null && retained.has(output),
    operations: 0,
    parts: [],
  };
}

/** Untracked tensors worth a card: arguments of recorded operations, and what was cut off from the graph. */
function untrackedToShow(trace: Trace, passed: readonly (readonly (number | null)[])[]): Set<number> {
  const shown = new Set<number>();
  const untracked = (id: number): boolean =>
    trace.tensors[id]?.grad_fn === null && !isLeaf(trace.tensors[id] as Tensor);
  for (const tensors of passed) for (const id of tensors) if (id !== null && untracked(id)) shown.add(id);
  for (const step of trace.steps)
    if (step.kind === "graph_left" && step.result !== null && untracked(step.result)) shown.add(step.result);
  return shown;
}

function buildThreads(
  trace: Trace,
  passed: readonly (readonly (number | null)[])[],
  cardOfNode: Int32Array,
  cardOfTensor: Int32Array,
): Thread[] {
  const threads: Thread[] = [];
  for (const [id, node] of trace.nodes.entries()) {
    if (node.leaf !== null) continue;
    const to = cardOfNode[id] ?? -1;
    for (const [slot, edge] of node.edges.entries()) {
      const tensor = passed[id]?.[slot] ?? null;
      const from =
        edge.node !== null ? (cardOfNode[edge.node] ?? -1) : tensor !== null ? (cardOfTensor[tensor] ?? -1) : -1;
      if (from < 0 || from === to) continue;
      threads.push({
        from,
        to,
        port: slot,
        node: edge.node === null ? null : id,
        slot,
        argument: edge.argument,
        left: "",
        step: node.step,
        strands: [],
      });
    }
  }
  return [...threads, ...leavingThreads(trace, cardOfTensor)];
}

/** From a tracked tensor to what was taken out of the graph from it: the values go on, no gradient comes back. */
function leavingThreads(trace: Trace, cardOfTensor: Int32Array): Thread[] {
  return trace.steps.flatMap((step): Thread[] => {
    if (step.kind !== "graph_left" || step.result === null) return [];
    const [from, to] = [cardOfTensor[step.source] ?? -1, cardOfTensor[step.result] ?? -1];
    if (from < 0 || to < 0 || from === to) return [];
    return [
      {
        from,
        to,
        port: 0,
        node: null,
        slot: 0,
        argument: "",
        // Whole numbers and truth values have no slope: their type says so.
        left: step.how === "integer" ? (trace.tensors[step.result]?.dtype ?? step.how) : step.how,
        step: trace.tensors[step.result]?.step ?? 0,
        strands: [],
      },
    ];
  });
}
