import type { Trace } from "../trace/types";

/**
 * The tensor behind every edge of every node, untracked ones included.
 *
 * An edge names its tensor when a gradient will travel along it. For the others the tensors are those among the
 * operation's inputs that no tracked edge took, in argument order.
 */
export function argumentTensors(trace: Trace): (number | null)[][] {
  const inputs = inputsOfNodes(trace);
  return trace.nodes.map((node, id) => {
    const left = [...(inputs[id] ?? [])];
    for (const edge of node.edges) {
      const at = edge.tensor === null ? -1 : left.indexOf(edge.tensor);
      if (at >= 0) left.splice(at, 1);
    }
    return node.edges.map((edge) => edge.tensor ?? (edge.node === null ? (left.shift() ?? null) : null));
  });
}

function inputsOfNodes(trace: Trace): (readonly number[])[] {
  const inputs: (readonly number[])[] = trace.nodes.map(() => []);
  for (const step of trace.steps)
    if (step.kind === "tensor_made" && step.node !== null) inputs[step.node] = step.inputs;
  return inputs;
}
