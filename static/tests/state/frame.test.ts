import { describe, expect, test } from "vitest";
import { planCheck } from "../../src/state/finite-difference";
import {
  bindingOf,
  bindings,
  currentPass,
  edgeMessage,
  nodeArrivals,
  origin,
  printed,
  savedState,
  tensorGradient,
  tensorValue,
  tensorVersion,
} from "../../src/state/frame";
import { buildHistory, type History } from "../../src/state/history";
import { ledgerOf } from "../../src/state/ledger";
import type { Step, Tensor, Value } from "../../src/trace/types";
import { GOLDEN, loadTrace } from "../fixtures/load";

const history = buildHistory(loadTrace("dynamic-computation-graph"));
const { trace } = history;
const last = trace.steps.length - 1;

/** The index of the n-th step of a kind. */
const find = (kind: Step["kind"], n = 0): number => {
  const found = trace.steps.map((step, index) => ({ step, index })).filter(({ step }) => step.kind === kind)[n]?.index;
  if (found === undefined) throw new Error(`the trace has no ${kind} number ${n}`);
  return found;
};

const tensorNamed = (name: string): number => trace.tensors.findIndex((tensor) => tensor.names.includes(name));

/** Everything that can be asked about one step. */
function everything(of: History, step: number): unknown {
  const pass = currentPass(of, step);
  return {
    pass,
    values: of.trace.tensors.map((_, id) => tensorValue(of, id, step)),
    gradients: of.trace.tensors.map((_, id) => tensorGradient(of, id, step)),
    arrivals: of.trace.nodes.map((_, id) => nodeArrivals(of, id, step, pass)),
    messages: of.trace.nodes.map((node, id) => node.edges.map((_, slot) => edgeMessage(of, id, slot, step, pass))),
    saved: of.trace.nodes.map((node, id) => node.saved.map((_, position) => savedState(of, id, position, step))),
    names: bindings(of, step),
    printed: printed(of, step),
  };
}

describe.each(GOLDEN)("in %s", (name) => {
  const golden = buildHistory(loadTrace(name));
  const { steps } = golden.trace;

  test("stepping back shows what was there before: back after forward is where one was", () => {
    const forward = steps.map((_, step) => everything(golden, step));
    const backward = steps.map((_, step) => everything(golden, steps.length - 1 - step)).reverse();
    expect(backward).toEqual(forward);
  });

  test("a step drawn by a history of its own equals the step reached by playing", () => {
    for (const [step] of steps.entries())
      expect(everything(buildHistory(golden.trace), step)).toEqual(everything(golden, step));
  });
});

test("three kinds of nothing stay three: not yet, None, and a number", () => {
  const a = tensorNamed("a");
  expect(tensorGradient(history, a, 0).state).toBe("not_yet");
  expect(tensorGradient(history, a, find("backward_started")).state).toBe("none");
  expect(tensorGradient(history, a, last)).toMatchObject({ state: "value", value: { text: "5" } });
});

test("an intermediate keeps no gradient", () => {
  expect(tensorGradient(history, tensorNamed("c"), last).state).toBe("none");
});

test("two messages wait side by side before they add up", () => {
  const sum = find("messages_summed");
  const accumulator = trace.nodes.findIndex((node) => node.leaf === tensorNamed("a"));
  const pass = currentPass(history, sum);
  const before = nodeArrivals(history, accumulator, sum - 1, pass);
  expect(before.gradient).toMatchObject({ state: "value", value: { text: "1" } });
  expect(before.joining?.text).toBe("4");
  expect(nodeArrivals(history, accumulator, sum, pass)).toMatchObject({
    gradient: { state: "value", value: { text: "5" } },
    joining: null,
  });
});

test("saved tensors are held from the forward pass until the node has freed them", () => {
  const product = trace.nodes.findIndex((node) => node.saved.length === 2);
  const freed = find("buffers_freed");
  expect(savedState(history, product, 0, find("tensor_saved") - 1)).toBe("not_yet");
  expect(savedState(history, product, 0, freed - 1)).toBe("held");
  expect(savedState(history, product, 0, freed)).toBe("freed");
});

test("nothing travels on an edge before a pass has begun", () => {
  const before = find("backward_started") - 1;
  expect(currentPass(history, before)).toBeNull();
  for (const [id, node] of trace.nodes.entries())
    for (const [slot] of node.edges.entries())
      expect(edgeMessage(history, id, slot, before, null).state).toBe("not_yet");
});

test("what is printed appears at its step", () => {
  const step = find("printed");
  expect(printed(history, step - 1)).toEqual([]);
  expect(printed(history, step).map((piece) => piece.text)).toEqual(["5.0 3.0\n"]);
});

test("a name is bound from its assignment on", () => {
  const bound = find("name_bound");
  expect(bindings(history, bound - 1)[0]).toMatchObject({ name: "a", state: "not_yet" });
  expect(bindings(history, bound)[0]).toMatchObject({ name: "a", state: "bound", tensor: tensorNamed("a") });
});

test("a tensor that no name is bound to goes by its place from the step that made it on, and a new one there takes over", () => {
  const made = (tensor: number) =>
    ({ ...trace.steps[0], kind: "tensor_made", tensor, value: seven }) as unknown as Step;
  const weight = (step: number) =>
    ({ ...trace.tensors[0], label: "model.weight", names: ["self.weight", "model.weight"], step }) as Tensor;
  const { length } = trace.tensors;
  const tensors = [...trace.tensors, weight(last + 1), weight(last + 2)];
  const held = buildHistory({ ...trace, tensors, steps: [...trace.steps, made(length), made(length + 1)] });
  const meant = [last, last + 1, last + 2].map((step) => bindingOf(held, "model.weight", step));
  expect(meant).toMatchObject([
    { state: "not_yet", tensor: null },
    { state: "bound", tensor: length },
    { state: "bound", tensor: length + 1 },
  ]);
});

test("a tensor that left the graph goes by its place, too", () => {
  const left = { ...trace.steps[0], kind: "graph_left", source: 0, result: trace.tensors.length } as unknown as Step;
  const kept = {
    ...trace.tensors[0],
    label: "kept[0]",
    names: ["kept[0]"],
    role: "constant",
    step: last + 1,
  } as Tensor;
  const held = buildHistory({ ...trace, tensors: [...trace.tensors, kept], steps: [...trace.steps, left] });
  expect(bindingOf(held, "kept[0]", last + 1)).toMatchObject({ state: "bound", tensor: trace.tensors.length });
});

const seven: Value = {
  shape: [],
  dtype: "float32",
  text: "7",
  data: [7],
  thumbnail: null,
  low: null,
  high: null,
  nonfinite: 0,
  nan: 0,
};

test("a gradient that the snippet set is there from that step on, until it is cleared", () => {
  const { steps, tensors } = trace;
  const [first] = steps;
  const value = seven;
  const set = { ...first, kind: "gradient_set", tensor: 0, old: null, value } as unknown as Step;
  const zeroed = { ...first, kind: "gradients_zeroed", tensors: [0], to_none: true } as unknown as Step;
  const made = buildHistory({ ...trace, tensors, steps: [...steps, set, zeroed] });
  expect(tensorGradient(made, 0, last + 1)).toMatchObject({ state: "value", value: { text: "7" }, cause: last + 1 });
  expect(tensorGradient(made, 0, last + 2).state).toBe("none");
});

test("a write in place gives a tensor another grad_fn, a switch makes a leaf of it, detach_ takes it out of the graph", () => {
  const c = tensorNamed("c");
  const made = find("node_made", 1);
  const [first] = trace.steps;
  const node = { ...trace.nodes[0], name: "CopySlices", outputs: [c] } as (typeof trace.nodes)[number];
  const remade = { ...first, kind: "node_made", node: trace.nodes.length } as unknown as Step;
  const left = { ...first, kind: "graph_left", how: "detach", source: c, result: c } as unknown as Step;
  const tracked = { ...first, kind: "requires_grad_changed", tensor: c, requires_grad: true } as unknown as Step;
  const steps = [...trace.steps, remade, left, tracked];
  const longer = buildHistory({ ...trace, nodes: [...trace.nodes, node], steps });
  const places = [made, last, last + 1, last + 2, last + 3].map((step) => origin(longer, c, step));
  expect(places).toEqual([
    { gradFn: trace.tensors[c]?.grad_fn, tracked: true },
    { gradFn: trace.tensors[c]?.grad_fn, tracked: true },
    { gradFn: trace.nodes.length, tracked: true },
    { gradFn: null, tracked: false },
    { gradFn: null, tracked: true },
  ]);
});

test("after steps that were left out a tensor stands as the run left it", () => {
  const { steps } = trace;
  const standings = [{ tensor: 0, value: seven, version: 3, gradient: null }];
  const gap = { ...steps[0], kind: "steps_left_out", standings, output: "7.0\n" } as unknown as Step;
  const made = buildHistory({ ...trace, steps: [...steps, gap] });
  expect(tensorValue(made, 0, last + 1)).toEqual({ state: "value", value: seven, cause: last + 1 });
  expect(printed(made, last + 1).at(-1)).toEqual({ step: last + 1, text: "7.0\n", stream: "stdout" });
  // Versions are shown of what the snippet itself writes into; an optimizer's are not.
  expect(tensorVersion(made, 0, last + 1)).toBe(0);
  const written = { ...gap, kind: "value_written", tensor: 0, value: seven, shared_with: [], version_after: 1 };
  const writes = buildHistory({ ...trace, steps: [...steps, written as unknown as Step, gap] });
  expect([last + 1, last + 2].map((step) => tensorVersion(writes, 0, step))).toEqual([1, 3]);
  expect(tensorGradient(made, 0, last).state).toBe("value");
  expect(tensorGradient(made, 0, last + 1)).toEqual({ state: "none", cause: last + 1 });
  expect(tensorValue(made, 1, last + 1)).toEqual(tensorValue(made, 1, last));
});

test("a write through a view of a gradient is seen in that gradient", () => {
  const gradient = { ...trace.tensors[0], label: "w.grad", names: [], gradient_of: 0 } as Tensor;
  const view = { ...gradient, label: "w.grad[0]", gradient_of: null, base: trace.tensors.length } as Tensor;
  const [whole, seen] = [trace.tensors.length, trace.tensors.length + 1];
  const write = { ...trace.steps[0], kind: "value_written", tensor: seen, value: { ...seven, text: "a part" } };
  const shared = { ...write, shared_with: [whole], shared_values: [seven], version_after: 1 } as unknown as Step;
  const made = buildHistory({ ...trace, tensors: [...trace.tensors, gradient, view], steps: [...trace.steps, shared] });
  expect(tensorGradient(made, 0, last + 1)).toEqual({ state: "value", value: seven, cause: last + 1 });
});

test("a gradient that is written in place is what was written, in its ledger too, until it is cleared", () => {
  const clipped = buildHistory(loadTrace("clipped-and-scheduled"));
  const { steps, tensors } = clipped.trace;
  const w = tensors.findIndex((tensor) => tensor.names.includes("w"));
  const write = steps.findIndex((step) => step.kind === "value_written");
  const cleared = steps.findIndex((step) => step.kind === "gradients_zeroed");
  const text = (step: number): string => {
    const slot = tensorGradient(clipped, w, step);
    return slot.state === "value" ? slot.value.text : slot.state;
  };
  expect([write - 1, write, cleared - 1, cleared].map(text)).toEqual(["[6, 8]", "[3.6, 4.8]", "[3.6, 4.8]", "none"]);
  const ledger = ledgerOf(clipped, w, cleared, 10).map(({ old, incoming, now, pass }) => [old, incoming, now, pass]);
  expect(ledger).toEqual([
    ["None", "[6, 8]", "[6, 8]", 1],
    ["", "", "[3.6, 4.8]", null],
    ["", "", "None", null],
  ]);
  expect(planCheck(clipped, w, write)).toBe("The snippet set this .grad itself: it need not be the slope of a loss.");
});
