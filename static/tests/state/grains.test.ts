import { expect, test } from "vitest";
import { lineGroup, nextStop, previousStop, stops } from "../../src/state/grains";
import { loadTrace } from "../fixtures/load";

const trace = loadTrace("dynamic-computation-graph");
const kinds = (list: Int32Array) => [...list].map((step) => trace.steps[step]?.kind);

test("at message grain every step is a stop", () => {
  expect(stops(trace, "message")).toHaveLength(trace.steps.length);
});

test("at line grain there is one stop for each line that ran, and the end", () => {
  const lines = trace.steps.filter((step) => step.kind === "line").length;
  expect(stops(trace, "line")).toHaveLength(lines + 1);
});

test("a line stops when all that it did is done", () => {
  for (const stop of stops(trace, "line")) expect(["line", "ended", undefined]).toContain(trace.steps[stop + 1]?.kind);
});

test("an operation's stops are fewer than messages and more than lines", () => {
  const [line, operation, message] = (["line", "operation", "message"] as const).map(
    (grain) => stops(trace, grain).length,
  );
  expect(operation).toBeGreaterThan(line ?? 0);
  expect(operation).toBeLessThan(message ?? 0);
});

test("no operation stops between a node and its result", () => {
  expect(kinds(stops(trace, "operation"))).not.toContain("node_made");
  expect(kinds(stops(trace, "operation"))).not.toContain("tensor_saved");
});

test("every grain ends at the last step, and going there and back returns", () => {
  for (const grain of ["line", "operation", "message"] as const) {
    const list = stops(trace, grain);
    expect(list.at(-1)).toBe(trace.steps.length - 1);
    for (const stop of list.slice(1)) expect(nextStop(list, previousStop(list, stop))).toBe(stop);
  }
});

test("the steps of a line are found from any of them", () => {
  for (const [step] of trace.steps.entries()) {
    const [first, last] = lineGroup(trace, step);
    expect(first).toBeLessThanOrEqual(step);
    expect(last).toBeGreaterThanOrEqual(step);
  }
});
