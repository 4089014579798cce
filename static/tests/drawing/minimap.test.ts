import { expect, test } from "vitest";
import { lookAt, placeMinimap } from "../../src/drawing/minimap";
import type { PlacedCard, Scene } from "../../src/layout/scene";

const STAGE = { width: 960, height: 560 };
const CAMERA = { x: 0, y: 0, scale: 1 };

const card = (x: number, y: number, step = 0): PlacedCard =>
  ({ kind: "operation", x, y, width: 200, height: 100, step }) as PlacedCard;

/** A graph of twice the stage's size. */
const graph = (...cards: PlacedCard[]): Scene => ({ cards, parts: [], width: 1920, height: 1120 }) as unknown as Scene;

const [TOP_RIGHT, BOTTOM_RIGHT, TOP_LEFT, BOTTOM_LEFT] = [
  card(740, 20),
  card(740, 440),
  card(20, 20),
  card(20, 440),
] as const;

test("the minimap stands in the first corner without a card", () => {
  const corner = (...cards: PlacedCard[]) => {
    const place = placeMinimap(graph(...cards), CAMERA, STAGE, 0);
    return place && `${place.y < 280 ? "top" : "bottom"} ${place.x > 480 ? "right" : "left"}`;
  };
  expect(corner()).toBe("top right");
  expect(corner(TOP_RIGHT)).toBe("bottom right");
  expect(corner(TOP_RIGHT, BOTTOM_RIGHT)).toBe("top left");
  expect(corner(TOP_RIGHT, BOTTOM_RIGHT, TOP_LEFT)).toBe("bottom left");
  expect(corner(TOP_RIGHT, BOTTOM_RIGHT, TOP_LEFT, BOTTOM_LEFT)).toBeNull();
});

test("a corner that stays free goes before one where a card is still to come", () => {
  const later = { ...TOP_RIGHT, step: 5 };
  expect(placeMinimap(graph(later), CAMERA, STAGE, 0)?.y).toBeGreaterThan(280);
  expect(placeMinimap(graph(later, BOTTOM_RIGHT, TOP_LEFT, BOTTOM_LEFT), CAMERA, STAGE, 0)?.y).toBeLessThan(280);
});

test("there is no minimap while the graph is in view", () => {
  expect(placeMinimap(graph(), { ...CAMERA, scale: 0.5 }, STAGE, 0)).toBeNull();
});

test("a press on the minimap looks at that place of the graph", () => {
  const place = placeMinimap(graph(TOP_RIGHT), CAMERA, STAGE, 0);
  if (!place) throw new Error("there is no minimap");
  const middle = lookAt(place, CAMERA, STAGE, place.x + place.width / 2, place.y + place.height / 2);
  expect(middle.x).toBeCloseTo(STAGE.width / 2 - 960);
  expect(middle.y).toBeCloseTo(STAGE.height / 2 - 560);
});
