import { expect, test } from "vitest";
import { focusOf } from "../../src/drawing/focus";
import type { Scene } from "../../src/layout/scene";
import type { Trace } from "../../src/trace/types";

test("a write in place is about the card that the tensor has at that time, not about a later one", () => {
  const trace = { steps: [{}, { kind: "value_written", tensor: 7 }, {}] } as unknown as Trace;
  const scene = {
    cards: [
      { tensor: 7, step: 0 },
      { tensor: 8, step: 0 },
      { tensor: 7, step: 2 },
    ],
    threads: [],
    cardOfTensor: Int32Array.of(-1, -1, -1, -1, -1, -1, -1, 2),
  } as unknown as Scene;
  expect([...focusOf(trace, scene, 1).cards]).toEqual([0]);
});

test("what a leaf of a later turn is about now is not on a card that is not there yet", () => {
  const trace = { steps: [{ kind: "node_ran", node: 0 }, {}, {}] } as unknown as Trace;
  const cards = [
    { node: 0, tensor: 0, step: 0 },
    { node: 0, tensor: 0, step: 2 },
  ];
  const scene = (of: number): Scene =>
    ({ cards: cards.slice(of), threads: [], cardOfNode: Int32Array.of(1 - of) }) as unknown as Scene;
  expect([...focusOf(trace, scene(0), 0).cards]).toEqual([0]);
  expect([...focusOf(trace, scene(1), 0).cards]).toEqual([]);
});
