import { expect, test } from "vitest";
import type { Route } from "../../src/layout/model";
import { pathText, smooth, Walk } from "../../src/layout/paths";

/** Two lines of length 100 with nothing between them. */
const LEAPING: Route = [
  { x: 0, y: 0 },
  { x: 100, y: 0 },
  { x: 0, y: 500, leaps: true },
  { x: 100, y: 500 },
];

test("where a route leaps, the pen is lifted", () => {
  expect(pathText(smooth(LEAPING, "right"))).toBe("M0.0 0.0L100.0 0.0M0.0 500.0L100.0 500.0");
});

test("what travels along a route leaps in no time", () => {
  const walk = new Walk(smooth(LEAPING, "right"));
  expect(walk.length).toBe(200);
  expect(walk.at(0.25)).toEqual({ x: 50, y: 0 });
  expect(walk.at(0.75)).toEqual({ x: 50, y: 500 });
});

test("a corner is a bend, and the line goes on from it", () => {
  const path = pathText(
    smooth(
      [
        { x: 0, y: 0 },
        { x: 100, y: 0 },
        { x: 100, y: 80 },
      ],
      "right",
    ),
  );
  expect(path.match(/M/g)).toHaveLength(1);
  expect(path).toMatch(/^M0\.0 0\.0L86\.0 0\.0C.*L100\.0 80\.0$/);
});
