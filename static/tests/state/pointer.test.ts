import { expect, test } from "vitest";
import { findStep, type Pointer } from "../../src/state/pointer";
import { loadTrace } from "../fixtures/load";

const seed = loadTrace("dynamic-computation-graph");
const to = (pointer: Partial<Pointer>): number | null =>
  findStep(seed, { on: "d.backward()", occurrence: null, kind: "gradient_stored", of: "", nth: 1, ...pointer });

test("a pointer leads to the step of its kind that its piece of source caused", () => {
  const step = seed.steps[to({ of: "b" }) ?? -1];
  expect(step?.kind === "gradient_stored" && seed.tensors[step.tensor]?.label).toBe("b");
  expect(seed.steps[to({ kind: "node_made", on: "c + a", of: "AddBackward0" }) ?? -1]?.span?.line).toBe(6);
});

test("equal pieces of source and equal steps are told apart by number", () => {
  expect(to({ kind: "tensor_made", on: "requires_grad", occurrence: 2 })).toBeGreaterThan(
    to({ kind: "tensor_made", on: "requires_grad", occurrence: 1 }) ?? Number.NaN,
  );
  const sent = [1, 2, 3, 4].map((nth) => to({ kind: "message_sent", nth }));
  expect(new Set(sent).size).toBe(4);
  expect(sent).toEqual([...sent].sort((a, b) => (a ?? 0) - (b ?? 0)));
});

test("a pointer into other code leads nowhere", () => {
  expect(to({ on: "loss.backward()" })).toBeNull();
  expect(to({ of: "c" })).toBeNull();
  expect(to({ nth: 3 })).toBeNull();
});
