import { expect, test } from "vitest";
import { type Camera, isDistant, leastWhole, readable, showAll, showStart } from "../../src/drawing/camera";
import { countCut } from "../../src/drawing/edges";
import { follow, together } from "../../src/drawing/follow";

/** The smallest letters on a card, in pixels at full size. */
const LETTERS = 11.5;

test.each([
  [390, 340, 15 / 16],
  [960, 560, 15 / 16],
  [1850, 900, 22 / 16],
])(
  "on a stage of %d × %d pixels nothing begins with letters of less than 7.9 pixels, and none of a part under 8.6",
  (width, height, letters) => {
    for (let side = 200; side < 20_000; side *= 1.1) {
      const world = { width: side, height: side / 3 };
      const whole = showAll(world, { width, height }, letters);
      if (whole.scale >= leastWhole(letters)) expect(whole.scale * LETTERS).toBeGreaterThan(7.9);
      else expect(showStart(world, { width, height }, letters).scale * LETTERS).toBeGreaterThan(8.6);
    }
  },
);

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

/** Cards in a row, each with a wire to the next. */
function row(count: number) {
  const cards = Array.from({ length: count }, (_, k) => ({ x: 10 + k * 272, y: 20, width: 184, height: 100 }));
  return { width: count * 272, height: 140, cards };
}

test.each([5, 6, 7, 8, 12, 30])(
  "of %d cards in a row the stage cuts none, at the beginning and wherever it follows",
  (count) => {
    const [world, stage] = [row(count), { width: 900, height: 500 }];
    let camera = showStart(world, stage);
    expect(countCut(world.cards, camera, stage)).toBe(0);
    for (const card of [...world.cards, ...world.cards.toReversed()]) {
      camera = follow(camera, card, world, stage);
      const left = card.x * camera.scale + camera.x;
      expect(left).toBeGreaterThan(0);
      expect(left + card.width * camera.scale).toBeLessThan(stage.width);
      expect(countCut(world.cards, camera, stage)).toBe(0);
    }
  },
);

test("a view stays where it is while what happens is in it", () => {
  const [world, stage] = [row(12), { width: 900, height: 500 }];
  const camera = showStart(world, stage);
  expect(follow(camera, { x: 282, y: 20, width: 184, height: 100 }, world, stage)).toEqual(camera);
});
