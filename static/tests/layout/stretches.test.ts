import { describe, expect, test } from "vitest";
import { foldParts } from "../../src/layout/fold";
import { partsClosed, planOverview } from "../../src/layout/overview";
import { planParts, ROOT } from "../../src/layout/parts";
import { wholeGraph } from "../../src/layout/scene";
import { READABLE_COUNT, type Stretch, stretchTitle } from "../../src/layout/stretches";
import { layOutGraph } from "../fixtures/laid";
import { madeFlat, madeLoop } from "../fixtures/made";

const stretchesOf = (trace: ReturnType<typeof madeFlat>) =>
  planParts(trace).records.flatMap((part, id) => (part.stretch ? [{ ...part, id, stretch: part.stretch }] : []));

test("what can be read at once, or is cut into loop turns already, is left as it is", () => {
  expect(stretchesOf(madeFlat(READABLE_COUNT, 1))).toEqual([]);
  expect(stretchesOf(madeLoop(300, 10))).toEqual([]);
});

test("a long program without parts is cut at ends of lines, every operation in one stretch", () => {
  const trace = madeFlat(3000, 5);
  const stretches = stretchesOf(trace);
  expect(stretches.flatMap(({ stretch }) => stretch.nodes)).toEqual(Array.from({ length: 3000 }, (_, i) => i + 1));
  for (const { stretch, parent } of stretches) {
    expect(stretch.nodes.length % 5).toBe(0);
    expect(stretch.nodes.length).toBeLessThanOrEqual(12);
    expect(parent).toBe(ROOT);
  }
  expect(stretches.map(({ title }) => title).slice(0, 3)).toEqual(["lines 2–3", "lines 4–5", "lines 6–7"]);
});

test("a line with more operations than a stretch holds is cut into equal pieces", () => {
  const titles = stretchesOf(madeFlat(50, 50)).map(({ title }) => title);
  expect(titles).toEqual([
    "line 2, operations 1–10",
    "line 2, operations 11–20",
    "line 2, operations 21–30",
    "line 2, operations 31–40",
    "line 2, operations 41–50",
  ]);
});

test("inside a long loop turn the stretches lie in that turn", () => {
  const trace = madeLoop(2, 200);
  const stretches = stretchesOf(trace);
  expect(new Set(stretches.map(({ parent }) => parent))).toEqual(new Set([1, 2]));
  for (const { id, parent } of stretches) expect(planParts(trace).paths[id]).toEqual([parent, id]);
});

describe("3,000 operations without parts", () => {
  const trace = madeFlat(3000, 5);
  const graph = wholeGraph(trace);
  const overview = planOverview(trace, graph);
  const foldedAt = (step: number) => {
    const chapter = overview?.chapters[overview.open[step] ?? -1];
    return foldParts(graph, partsClosed(graph.parts, chapter, new Map(), true));
  };

  test("are one open stretch, with one card for all before it and one for all after it", () => {
    for (const share of [0.1, 0.3, 0.6, 0.9]) {
      const step = Math.floor(trace.steps.length * share);
      const folded = foldedAt(step);
      expect(folded.cards.filter((card) => card.kind === "group")).toHaveLength(2);
      expect(folded.cards.length).toBeLessThan(20);
      const event = trace.steps[step];
      const node = event && "node" in event ? event.node : null;
      if (node !== null && node !== 0) expect(folded.cards[folded.cardOfNode[node] ?? -1]?.kind).toBe("operation");
    }
  });

  test("can be laid out, with every wire between the open stretch and its neighbours", () => {
    const scene = layOutGraph(trace, foldedAt(trace.steps.length >> 1), 1.5);
    for (const thread of scene.threads) expect(thread.route.length).toBeGreaterThan(1);
    expect(scene.parts.map((part) => part.title)).toEqual([expect.stringMatching(/^lines \d+–\d+$/)]);
  });
});

test("a run of stretches is called by its first and last line", () => {
  const stretch = (lines: [number, number], places: [number, number] | null = null): Stretch => ({
    parent: ROOT,
    nodes: [],
    lines,
    places,
  });
  expect(stretchTitle(stretch([3, 9]), stretch([10, 40]))).toBe("lines 3–40");
  expect(stretchTitle(stretch([3, 3], [1, 12]), stretch([3, 3], [25, 36]))).toBe("line 3, operations 1–36");
  expect(stretchTitle(stretch([3, 3], [1, 12]), stretch([4, 6]))).toBe("lines 3–6");
});
