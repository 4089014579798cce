import { describe, expect, test } from "vitest";
import { arrange } from "../../src/layout/arrange";
import type { Arrangement, Diagram } from "../../src/layout/model";

/** A small generator with a known seed (mulberry32): tests must not depend on luck. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function randomDiagram(seed: number): Diagram {
  const next = random(seed);
  const count = 3 + Math.floor(next() * 60);
  const boxes = Array.from({ length: count }, (_, i) => ({
    width: 120 + Math.floor(next() * 100),
    height: 60 + Math.floor(next() * 80),
    group: Math.floor(i / 8),
  }));
  const wires: { from: number; to: number; port: number }[] = [];
  for (let to = 1; to < count; to++) {
    const ports = Math.floor(next() * 4);
    for (let port = 0; port < ports; port++) wires.push({ from: Math.floor(next() * to), to, port });
  }
  return { boxes, wires, direction: next() < 0.5 ? "right" : "down", aspect: 0.5 + next() * 2 };
}

function overlaps({ boxes }: Diagram, { places }: Arrangement): string[] {
  const found: string[] = [];
  for (let i = 0; i < boxes.length; i++) {
    for (let j = 0; j < i; j++) {
      const [a, b, p, q] = [boxes[i], boxes[j], places[i], places[j]];
      if (!a || !b || !p || !q) throw new Error("a box has no place");
      if (Math.abs(p.x - q.x) < (a.width + b.width) / 2 && Math.abs(p.y - q.y) < (a.height + b.height) / 2)
        found.push(`${j} and ${i}`);
    }
  }
  return found;
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

describe("any diagram", () => {
  test.each(SEEDS)("has no overlapping boxes (seed %i)", (seed) => {
    const diagram = randomDiagram(seed);
    expect(overlaps(diagram, arrange(diagram))).toEqual([]);
  });

  test("is laid out the same every time", () => {
    for (const seed of SEEDS) expect(arrange(randomDiagram(seed))).toEqual(arrange(randomDiagram(seed)));
  });

  test("keeps every box and every wire inside its bounds", () => {
    for (const seed of SEEDS) {
      const diagram = randomDiagram(seed);
      const { places, routes, width, height } = arrange(diagram);
      for (const [i, place] of places.entries()) {
        const box = diagram.boxes[i];
        expect(place.x - (box?.width ?? 0) / 2).toBeGreaterThanOrEqual(-0.01);
        expect(place.x + (box?.width ?? 0) / 2).toBeLessThanOrEqual(width + 0.01);
        expect(place.y + (box?.height ?? 0) / 2).toBeLessThanOrEqual(height + 0.01);
      }
      for (const point of routes.flat()) {
        expect(point.x).toBeGreaterThanOrEqual(-0.01);
        expect(point.x).toBeLessThanOrEqual(width + 0.01);
        expect(point.y).toBeLessThanOrEqual(height + 0.01);
      }
    }
  });

  test("lets wires enter a box in the order of its arguments", () => {
    for (const seed of SEEDS) {
      const diagram = randomDiagram(seed);
      const { routes } = arrange(diagram);
      const across = diagram.direction === "right" ? "y" : "x";
      for (let box = 0; box < diagram.boxes.length; box++) {
        const entries = diagram.wires
          .map((wire, i) => ({ wire, end: routes[i]?.at(-1) }))
          .filter(({ wire }) => wire.to === box)
          .sort((a, b) => a.wire.port - b.wire.port)
          .map(({ end }) => end?.[across] ?? Number.NaN);
        expect(entries).toEqual([...entries].sort((a, b) => a - b));
      }
    }
  });

  test("begins and ends every wire at the side of its boxes", () => {
    for (const seed of SEEDS) {
      const diagram = randomDiagram(seed);
      const { places, routes } = arrange(diagram);
      const [along, extent] = diagram.direction === "right" ? (["x", "width"] as const) : (["y", "height"] as const);
      for (const [i, wire] of diagram.wires.entries()) {
        const route = routes[i] ?? [];
        expect(route[0]?.[along]).toBeCloseTo(
          (places[wire.from]?.[along] ?? 0) + (diagram.boxes[wire.from]?.[extent] ?? 0) / 2,
          3,
        );
        expect(route.at(-1)?.[along]).toBeCloseTo(
          (places[wire.to]?.[along] ?? 0) - (diagram.boxes[wire.to]?.[extent] ?? 0) / 2,
          3,
        );
      }
    }
  });
});

test("a long chain is folded into rows instead of becoming a thread", () => {
  const boxes = Array.from({ length: 60 }, (_, i) => ({ width: 180, height: 90, group: Math.floor(i / 6) }));
  const wires = boxes.slice(1).map((_, i) => ({ from: i, to: i + 1, port: 0 }));
  const { width, height } = arrange({ boxes, wires, direction: "right", aspect: 1.6 });
  expect(width / height).toBeLessThan(4);
});

describe.each(["right", "down"] as const)("folded into rows, flowing %s", (direction) => {
  const along = direction === "right" ? "x" : "y";
  const boxes = Array.from({ length: 30 }, (_, i) => ({ width: 180, height: 90, group: Math.floor(i / 6) }));
  // A chain, and one wire over most of it.
  const wires = [...boxes.slice(1).map((_, i) => ({ from: i, to: i + 1, port: 0 })), { from: 1, to: 28, port: 1 }];
  const { places, routes } = arrange({ boxes, wires, direction, aspect: 1.6 });
  const begins = (box: number): number => places[box]?.[along] ?? Number.NaN;
  const leaping = wires.flatMap((wire, i) => ((routes[i] ?? []).some(({ leaps }) => leaps) ? [{ wire, i }] : []));

  test("a wire to another row leaves behind its own row's cards and goes on before the other's", () => {
    expect(leaping.length).toBeGreaterThan(1);
    for (const { wire, i } of leaping) {
      const route = routes[i] ?? [];
      const at = route.findIndex(({ leaps }) => leaps);
      expect(route.filter(({ leaps }) => leaps)).toHaveLength(1);
      expect(route[at - 1]?.[along]).toBeGreaterThan(begins(wire.from));
      expect(route[at]?.[along]).toBeLessThan(Math.min(...places.map((place) => place[along])));
      expect(route[at]?.[along]).toBeLessThan(begins(wire.to));
    }
  });

  test("a wire within its row is one line", () => {
    const inRow = wires.filter((_, i) => !leaping.some((each) => each.i === i));
    for (const { from, to } of inRow) expect(begins(to)).toBeGreaterThan(begins(from));
  });
});

test("a cycle is refused with its size", () => {
  const box = { width: 10, height: 10, group: 0 };
  const wires = [
    { from: 0, to: 1, port: 0 },
    { from: 1, to: 0, port: 0 },
  ];
  expect(() => arrange({ boxes: [box, box], wires, direction: "right", aspect: 1 })).toThrow("2 boxes lie on one");
});

test("nothing at all is an empty drawing", () => {
  expect(arrange({ boxes: [], wires: [], direction: "right", aspect: 1 })).toMatchObject({
    width: 0,
    height: 0,
    places: [],
  });
});
