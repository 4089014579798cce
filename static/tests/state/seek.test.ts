import { expect, test } from "vitest";
import {
  bindings,
  currentPass,
  edgeMessage,
  nodeArrivals,
  savedState,
  tensorGradient,
  tensorValue,
} from "../../src/state/frame";
import { buildHistory } from "../../src/state/history";
import type { Trace } from "../../src/trace/types";
import { loadTrace } from "../fixtures/load";

const EVENTS = 50_000;
/** Milliseconds for one seek; the budget of a frame at 60 Hz. */
const BUDGET = 16;

/** The seed's run again and again, as a long training loop on the same graph would be. */
function longTrace(): Trace {
  const seed = loadTrace("dynamic-computation-graph");
  const turns = Math.ceil(EVENTS / seed.steps.length);
  return { ...seed, steps: Array.from({ length: turns }, () => seed.steps).flat() };
}

test("any of 50,000 events is reached within a frame, in any direction", () => {
  const history = buildHistory(longTrace());
  const { trace } = history;
  expect(trace.steps.length).toBeGreaterThanOrEqual(EVENTS);
  const times: number[] = [];
  for (let i = 0; i < 200; i++) {
    // A prime stride visits far-apart steps in a fixed order, forwards and back.
    const step = (i * 7919) % trace.steps.length;
    const start = performance.now();
    const pass = currentPass(history, step);
    for (const [id] of trace.tensors.entries()) [tensorValue(history, id, step), tensorGradient(history, id, step)];
    for (const [id, node] of trace.nodes.entries()) {
      nodeArrivals(history, id, step, pass);
      for (const [slot] of node.edges.entries()) edgeMessage(history, id, slot, step, pass);
      for (const [position] of node.saved.entries()) savedState(history, id, position, step);
    }
    bindings(history, step);
    times.push(performance.now() - start);
  }
  const median = times.sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
  expect(median).toBeLessThan(BUDGET);
});
