import { expect, test } from "vitest";
import { type Camera, isDistant, readable, showAll, showStart, together } from "../../src/drawing/camera";

/** The smallest letters on a card, in pixels at full size. */
const LETTERS = 11.5;

test.each([
  [390, 340, 15 / 16],
  [960, 560, 15 / 16],
  [1850, 900, 22 / 16],
])("on a stage of %d × %d pixels nothing begins with letters of less than 8.6 pixels", (width, height, letters) => {
  for (let side = 200; side < 20_000; side *= 1.1) {
    const world = { width: side, height: side / 3 };
    const whole = showAll(world, { width, height }, letters);
    const shown = whole.scale < readable(letters) ? showStart(world, { width, height }, letters) : whole;
    expect(shown.scale * LETTERS).toBeGreaterThan(8.6);
  }
});

test("a small graph grows with the letters of the page", () => {
  const [world, stage] = [
    { width: 400, height: 300 },
    { width: 2000, height: 1200 },
  ];
  expect(showAll(world, stage, 2).scale / showAll(world, stage, 1).scale).toBe(2);
});

test("cards are drawn as from far away only where their letters can no longer be read", () => {
  const at = (scale: number): Camera => ({ x: 0, y: 0, scale });
  expect(isDistant(at(readable(1)), 1)).toBe(false);
  expect(isDistant(at(readable(1) * 0.8), 1)).toBe(true);
});

test("both ends of a message are looked at if they fit, else the one where it arrives", () => {
  const [receiver, sender] = [
    { x: 0, y: 0, width: 200, height: 100 },
    { x: 500, y: 50, width: 200, height: 100 },
  ];
  const camera = { x: 0, y: 0, scale: 1 };
  expect(together([receiver, sender], camera, { width: 800, height: 600 })).toEqual({
    x: 0,
    y: 0,
    width: 700,
    height: 150,
  });
  expect(together([receiver, sender], camera, { width: 600, height: 600 })).toEqual(receiver);
});
