import { expect, test } from "vitest";
import { find } from "../../src/state/find";
import { loadTrace } from "../fixtures/load";

const SEED = loadTrace("dynamic-computation-graph");

const labels = (words: string): (string | undefined)[] =>
  find(SEED, words).map(({ tensor }) => SEED.tensors[tensor]?.label);

test("tensors are found by their names, the exact one first, whatever the case", () => {
  expect(labels("a")[0]).toBe("a");
  expect(labels(" A ")[0]).toBe("a");
});

test("they are found by the names of their nodes and their operators as well", () => {
  expect(labels("mulbackward")).toEqual(["c"]);
  expect(labels("add")).toEqual(["d"]);
});

test("each leads to the step at which it was made, with the node of its gradient", () => {
  for (const { tensor, node, step } of find(SEED, "c")) {
    expect(SEED.tensors[tensor]?.step).toBe(step);
    if (node !== null)
      expect(SEED.nodes[node]?.outputs.includes(tensor) || SEED.nodes[node]?.leaf === tensor).toBe(true);
  }
});

test("nothing is found for nothing", () => {
  expect(find(SEED, "  ")).toEqual([]);
  expect(find(SEED, "no such thing")).toEqual([]);
});
