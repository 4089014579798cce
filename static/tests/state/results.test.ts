import { expect, test } from "vitest";
import { buildHistory } from "../../src/state/history";
import { lastResults } from "../../src/state/results";
import { loadTrace } from "../fixtures/load";

test("a line tells the names it bound, and nothing before it ran", () => {
  const history = buildHistory(loadTrace("dynamic-computation-graph"));
  expect(lastResults(history, 0).size).toBe(0);
  const end = lastResults(history, history.trace.steps.length - 1);
  expect([...end.values()].slice(0, 4)).toEqual(["a = 3", "b = 4", "c = 12", "d = 15"]);
});

test("in a loop a line tells what its latest turn gave", () => {
  const history = buildHistory(loadTrace("loop-branch-and-detach"));
  const bound = history.trace.steps.flatMap((step, index) =>
    step.kind === "name_bound" && step.name === "total" && step.span?.line === 9 ? [index] : [],
  );
  expect(bound.map((step) => lastResults(history, step).get(9))).toEqual(["total = 0", "total = 2", "total = 6"]);
});
