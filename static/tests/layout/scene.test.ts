import { describe, expect, test } from "vitest";
import { layOutTowards, layOutTrace, type Scene } from "../../src/layout/scene";
import { loadTrace } from "../fixtures/load";

const seed = loadTrace("seed");

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
