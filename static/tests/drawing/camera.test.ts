import { expect, test } from "vitest";
import { type Camera, isDistant, leastWhole, readable, showAll, showPart, showStart } from "../../src/drawing/camera";
import { countCut } from "../../src/drawing/edges";
import { follow, together } from "../../src/drawing/follow";

/** The smallest letters on a card, in pixels at full size. */
const LETTERS = 11.5;

test.each([
  [390, 340, 15 / 16],
  [960, 560, 15 / 16],
  [1850, 900, 22 / 16],
])(
  "on a stage of %d × %d pixels nothing begins with letters of less than 7.9 pixels, nor what it cuts on both sides under 8.6",
  (width, height, letters) => {
    for (let side = 200; side < 20_000; side *= 1.1) {
      const world = { width: side, height: side / 3 };
      const whole = showAll(world, { width, height }, letters);
      const { scale } = whole.scale >= leastWhole(letters) ? whole : showStart(world, { width, height }, letters);
      expect(scale * LETTERS).toBeGreaterThan(world.height * scale > height ? 8.6 : 7.9);
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

/** Two rows of cards. */
function twoRows(count: number, height: number) {
  const upper = row(count);
  const lower = upper.cards.map((card) => ({ ...card, y: height - 20 - card.height }));
  return { width: upper.width, height, cards: [...upper.cards, ...lower] };
}

test.each([500, 540, 600, 680, 720])(
  "of two rows in a graph %d pixels high, more than the stage has at full size, neither is cut wherever it follows",
  (height) => {
    const [world, stage] = [twoRows(8, height), { width: 960, height: 539 }];
    let camera = showStart(world, stage);
    for (const card of world.cards) {
      camera = follow(camera, card, world, stage);
      expect(world.cards.map(({ y }) => y * camera.scale + camera.y).every((top) => top > 0)).toBe(true);
      const bottoms = world.cards.map(({ y, height }) => (y + height) * camera.scale + camera.y);
      expect(Math.max(...bottoms)).toBeLessThan(stage.height);
    }
  },
);

test("where gradients go up, columns side by side are not cut either", () => {
  const { width, height, cards } = twoRows(8, 470);
  const turned = cards.map((card) => ({ x: card.y, y: card.x, width: card.height, height: card.width }));
  const [world, stage] = [
    { width: height, height: width, cards: turned, direction: "down" as const },
    { width: 390, height: 326 },
  ];
  const camera = follow(showStart(world, stage), turned[12] ?? { x: 0, y: 0, width: 1, height: 1 }, world, stage);
  expect(Math.min(...turned.map(({ x }) => x * camera.scale + camera.x))).toBeGreaterThan(0);
  expect(Math.max(...turned.map((card) => (card.x + card.width) * camera.scale + camera.x))).toBeLessThan(stage.width);
});

test("one chapter after the other is shown in one size, however few cards it has", () => {
  const stage = { width: 960, height: 539 };
  const scales = [200, 500, 800].map((width) => showPart({ x: 0, y: 0, width, height: 100 }, stage).scale);
  expect(new Set(scales).size).toBe(1);
});

test("a view that moves to the side also takes in the rows that its edge had cut, and leaves no emptiness for them", () => {
  // A folded part above the beginning of two rows: shown from its beginning, the lower row is cut.
  const rows = [170, 440].flatMap((y) => row(8).cards.map((card) => ({ ...card, y, height: 150 })));
  const world = { width: 8 * 272, height: 620, cards: [{ x: 10, y: 20, width: 184, height: 40 }, ...rows] };
  const stage = { width: 1060, height: 540 };
  const beginning = { x: 20, y: 40, scale: 1 };
  expect(follow(beginning, rows[1] as (typeof rows)[number], world, stage), "while it is in view").toEqual(beginning);
  const later = follow(beginning, rows[5] as (typeof rows)[number], world, stage);
  expect(countCut(world.cards, later, stage)).toBe(0);
  expect((rows[8]?.y ?? 0) + later.y + 150).toBeLessThanOrEqual(stage.height);
});
