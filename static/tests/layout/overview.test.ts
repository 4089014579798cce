import { expect, test } from "vitest";
import { foldParts } from "../../src/layout/fold";
import { partsClosed, planOverview } from "../../src/layout/overview";
import { planParts, runTitle } from "../../src/layout/parts";
import { wholeGraph } from "../../src/layout/scene";
import { layOutGraph } from "../fixtures/laid";
import { GOLDEN, loadTrace } from "../fixtures/load";
import { madeLoop } from "../fixtures/made";

const NOTHING = new Map<number, boolean>();

test("a graph that can be read as a whole is not folded", () => {
  for (const trace of GOLDEN.map(loadTrace)) expect(planOverview(trace, wholeGraph(trace))).toBeNull();
});

test("in a long loop a few turns stand open, those of the action, and all others are two cards", () => {
  const trace = madeLoop(300, 10);
  const graph = wholeGraph(trace);
  const overview = planOverview(trace, graph);
  if (!overview) throw new Error("3,000 operations cannot be read as a whole");
  for (const step of [100, trace.steps.length >> 1, trace.steps.length - 2]) {
    const chapter = overview.chapters[overview.open[step] ?? -1];
    const folded = foldParts(graph, partsClosed(graph.parts, chapter, NOTHING, true));
    expect(folded.cards.filter((card) => card.kind === "group").length).toBeLessThanOrEqual(2);
    expect(folded.cards.length).toBeLessThan(40);
    expect(chapter?.parts).toContain(trace.steps[step]?.scope);
  }
});

test("backward opens the part where a node was recorded, not where backward was called", () => {
  const trace = madeLoop(30, 10);
  const node = trace.nodes.length - 1;
  const step = trace.steps.findIndex((each) => each.kind === "node_ran" && each.node === node);
  const elsewhere = { ...trace, steps: trace.steps.map((each, i) => (i === step ? { ...each, scope: 0 } : each)) };
  const overview = planOverview(elsewhere, wholeGraph(elsewhere));
  expect(overview?.chapters[overview.open[step] ?? -1]?.parts).toContain(trace.nodes[node]?.scope);
});

test("what a person opened stays open, and what they closed stays closed", () => {
  const trace = madeLoop(30, 10);
  const closed = partsClosed(
    planParts(trace),
    { parts: [5], around: new Set() },
    new Map([
      [2, true],
      [5, false],
    ]),
    true,
  );
  expect(closed.has(2)).toBe(false);
  expect(closed.has(5)).toBe(true);
  expect(closed.has(7)).toBe(true);
});

test("threads into folded turns carry the messages of all the edges they stand for", () => {
  const trace = madeLoop(30, 10);
  const graph = wholeGraph(trace);
  const folded = foldParts(graph, new Set([1, 2, 3]));
  const carried = folded.threads.flatMap((thread) => [thread, ...thread.strands]).length;
  const inside = graph.threads.length - carried;
  expect(carried).toBeGreaterThan(0);
  expect(inside).toBeGreaterThan(0);
  expect(layOutGraph(trace, folded, 1.5).threads.every((thread) => thread.route.length > 1)).toBe(true);
});

test("a run's title says once what its members share", () => {
  expect(runTitle("turn 1: for t in x", "turn 40: for t in x")).toBe("turns 1–40: for t in x");
  expect(runTitle("turn 10: for t", "turn 19: for t")).toBe("turns 10–19: for t");
  expect(runTitle("model[0] (Linear)", "model[3] (Tanh)")).toBe("model[0] (Linear) … model[3] (Tanh)");
  expect(runTitle("f(x)", "f(x)")).toBe("f(x)");
});
