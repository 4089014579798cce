import { describe, expect, test } from "vitest";
import { foldParts } from "../../src/layout/fold";
import { type Scene, wholeGraph } from "../../src/layout/scene";
import { layOutGraph, layOutTowards, layOutTrace } from "../fixtures/laid";
import { GOLDEN, loadTrace } from "../fixtures/load";

const seed = loadTrace("dynamic-computation-graph");

const cardNamed = (scene: Scene, title: string) => {
  const card = scene.cards.find((each) => each.title === title);
  if (!card) throw new Error(`no card is titled ${title}`);
  return card;
};

test("the seed has a card for each leaf and each recorded operation", () => {
  expect(layOutTrace(seed, 1).cards.map((card) => `${card.kind} ${card.title}`)).toEqual([
    "leaf a",
    "leaf b",
    "operation c",
    "operation d",
  ]);
});

test("the accumulator of a leaf lives on the leaf's card", () => {
  const scene = layOutTrace(seed, 1);
  const accumulator = seed.nodes.findIndex((node) => node.leaf === 0);
  expect(scene.cardOfNode[accumulator]).toBe(scene.cards.indexOf(cardNamed(scene, "a")));
});

describe.each(["right", "down"] as const)("flowing %s", (direction) => {
  const scene = layOutTowards(seed, direction, 1);
  const along = direction === "right" ? "x" : "y";

  test("an operation lies after its arguments", () => {
    expect(cardNamed(scene, "c")[along]).toBeGreaterThan(cardNamed(scene, "a")[along]);
    expect(cardNamed(scene, "d")[along]).toBeGreaterThan(cardNamed(scene, "c")[along]);
  });

  test("the two paths into a leaf are apart from their first pixel", () => {
    const a = scene.cards.indexOf(cardNamed(scene, "a"));
    const starts = scene.threads.filter((thread) => thread.from === a).map((thread) => thread.route[0]);
    expect(starts).toHaveLength(2);
    expect(
      Math.hypot((starts[0]?.x ?? 0) - (starts[1]?.x ?? 0), (starts[0]?.y ?? 0) - (starts[1]?.y ?? 0)),
    ).toBeGreaterThan(12);
  });
});

test("a tall place gets a drawing that flows down, a wide one a drawing that flows right", () => {
  expect(layOutTrace(seed, 0.6).direction).toBe("down");
  expect(layOutTrace(seed, 3).direction).toBe("right");
});

describe.each(GOLDEN)("the scene of %s", (name) => {
  const trace = loadTrace(name);

  test("is the same every time", () => {
    expect(layOutTrace(trace, 1.2)).toEqual(layOutTrace(trace, 1.2));
  });

  test("has no overlapping cards, folded or not", () => {
    for (const closed of [new Set<number>(), new Set(trace.scopes.keys())]) {
      const { cards } = layOutTrace(trace, 1.2, closed);
      for (const [i, a] of cards.entries()) {
        for (const b of cards.slice(0, i)) {
          const apart = a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height;
          expect(apart, `${a.title} and ${b.title}`).toBe(true);
        }
      }
    }
  });

  test("shows every recorded node on a card, and an edge for every gradient", () => {
    const scene = layOutTrace(trace, 1.2, new Set());
    for (const [id] of trace.nodes.entries()) expect(scene.cards[scene.cardOfNode[id] ?? -1]).toBeDefined();
    const edges = trace.nodes.flatMap((node) => node.edges.filter((edge) => edge.node !== null));
    expect(scene.threads.filter((thread) => thread.node !== null)).toHaveLength(edges.length);
  });

  test("never shows a card before its step, nor a thread before both its cards", () => {
    const scene = layOutTrace(trace, 1.2, new Set());
    for (const thread of scene.threads) {
      expect(thread.step).toBeGreaterThanOrEqual(scene.cards[thread.from]?.step ?? Number.NaN);
      expect(thread.step).toBeGreaterThanOrEqual(scene.cards[thread.to]?.step ?? Number.NaN);
    }
  });
});

describe("a loop", () => {
  const trace = loadTrace("loop-branch-and-detach");

  test("has an outline for each of its turns, and folding turns them into one card each", () => {
    const turns = trace.scopes.flatMap((scope, id) => (scope.kind === "loop_turn" ? [id] : []));
    const open = layOutTrace(trace, 1.2, new Set());
    const outlined = open.parts.map((part) => part.scope).filter((scope) => turns.includes(scope));
    expect(outlined.length).toBeGreaterThan(0);
    const apart = new Set(outlined);
    const folded = layOutGraph(trace, foldParts(wholeGraph(trace), apart, apart), 1.2);
    expect(
      folded.cards
        .filter((card) => card.kind === "group")
        .map((card) => card.scope)
        .sort(),
    ).toEqual([...outlined].sort());
    expect(folded.cards.length).toBeLessThan(open.cards.length);
  });
});
