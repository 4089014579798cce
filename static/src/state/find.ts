import type { Tensor, Trace } from "../trace/types";

/** A tensor of the run that answers to what was looked for, with the node that made it and the step at which it was made. */
export interface Found {
  readonly tensor: number;
  readonly node: number | null;
  readonly step: number;
}

/**
 * Tensors by their names, the names of their nodes or their operators; upper and lower case are the same. What is called
 * exactly so comes first, else in the order in which they were made.
 */
export function find(trace: Trace, words: string): Found[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return [];
  const ranked = trace.tensors.flatMap((tensor, index) => {
    const called = namesOf(trace, tensor).map((name) => name.toLowerCase());
    if (!called.some((name) => name.includes(wanted))) return [];
    return [{ found: { tensor: index, node: nodeOf(tensor), step: tensor.step }, exact: called.includes(wanted) }];
  });
  return ranked
    .sort((a, b) => Number(b.exact) - Number(a.exact) || a.found.step - b.found.step)
    .map(({ found }) => found);
}

const nodeOf = (tensor: Tensor): number | null => tensor.grad_fn ?? tensor.accumulator;

function namesOf(trace: Trace, tensor: Tensor): string[] {
  const node = trace.nodes[nodeOf(tensor) ?? -1];
  return [tensor.label, ...tensor.names, ...(node ? [node.name, node.operator] : [])];
}
