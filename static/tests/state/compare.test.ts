import { expect, test } from "vitest";
import { compareNames, differenceOf, matchRuns } from "../../src/state/compare";
import { currentPass } from "../../src/state/frame";
import { buildHistory, type History } from "../../src/state/history";
import type { Trace } from "../../src/trace/types";
import { GOLDEN, loadTrace } from "../fixtures/load";

const seed = loadTrace("dynamic-computation-graph");
const at = (history: History, step: number) => ({ history, step, pass: currentPass(history, step) });

/** The seed with another number in it, as an edit of 4.0 would give. */
function edited(): Trace {
  const text = JSON.stringify(seed)
    .replaceAll("4.0", "7.0")
    .replaceAll('"text":"4"', '"text":"7"')
    .replaceAll('"data":[4]', '"data":[7]');
  return JSON.parse(text) as Trace;
}

test.each(GOLDEN)("%s compared with itself: everything has its twin, and nothing differs", (name) => {
  const trace = loadTrace(name);
  const match = matchRuns(trace, trace);
  expect([...match.nodes]).toEqual([...trace.nodes.keys()]);
  expect([...match.tensors]).toEqual([...trace.tensors.keys()]);
  expect([...match.steps]).toEqual([...trace.steps.keys()]);
  const now = at(buildHistory(trace), trace.steps.length - 1);
  for (const [tensor, { grad_fn }] of trace.tensors.entries())
    expect(differenceOf(match, now, now, { node: grad_fn, tensor })).toBe("");
});

test("an edited number is seen where it is, and the leaf keeps its twin although its source text changed", () => {
  const other = edited();
  const match = matchRuns(other, seed);
  expect([...match.nodes]).toEqual([...seed.nodes.keys()]);
  const last = seed.steps.length - 1;
  const rows = compareNames(at(buildHistory(seed), last), at(buildHistory(other), last));
  const differing = rows.map(({ name, value, gradient }) => [name, value.differs, gradient.differs]);
  expect(differing).toContainEqual(["b", true, false]);
  expect(differing).toContainEqual(["d", false, false]);
});

test("steps go on together: never backwards, first with first and last with last", () => {
  const match = matchRuns(loadTrace("loop-branch-and-detach"), seed);
  const steps = [...match.steps];
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(steps.at(-1)).toBe(seed.steps.length - 1);
});
