import { expect, test } from "vitest";
import { flagsByLine, flagsOf } from "../../src/state/flags";
import type { Step, Trace } from "../../src/trace/types";
import { loadTrace } from "../fixtures/load";

test("the error that ended a run is flagged where it was raised", () => {
  const [flag] = flagsOf(loadTrace("second-backward-raises"));
  expect(flag?.kind).toBe("error");
  expect(flag?.message).toMatch(/^RuntimeError: Trying to backward through the graph a second time/);
  expect(flag?.span.line).toBe(loadTrace("second-backward-raises").outcome.span?.line);
});

test("a warning that many turns repeat is flagged once", () => {
  const trace = loadTrace("loop-branch-and-detach");
  const warned = (step: Step): Step => ({ ...step, warning: "Mind this." });
  const line = trace.steps.find((step) => step.span !== null)?.span?.line ?? 0;
  const repeated: Trace = {
    ...trace,
    steps: trace.steps.map((step) => (step.span?.line === line ? warned(step) : { ...step, warning: null })),
  };
  expect(flagsOf(repeated).map(({ kind, message }) => [kind, message])).toEqual([["warning", "Mind this."]]);
  expect([...flagsByLine(repeated).keys()]).toEqual([line]);
});

test("a run without a fault flags nothing", () => {
  expect(flagsOf(loadTrace("dynamic-computation-graph"))).toEqual([]);
});
