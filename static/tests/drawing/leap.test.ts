import { expect, test } from "vitest";
import { leapOf, letters } from "../../src/drawing/leap";

test("connectors are lettered as columns of a table are", () => {
  expect([0, 1, 25, 26, 27, 51, 52].map(letters)).toEqual(["A", "B", "Z", "AA", "AB", "AZ", "BA"]);
});

test("each end of a leap tells what is at the other", () => {
  const route = [
    { x: 0, y: 0 },
    { x: 100, y: 0 },
    { x: -40, y: 300, leaps: true },
    { x: 0, y: 300 },
  ];
  expect(leapOf(route, 1, "h", "loss")).toMatchObject({
    letter: "B",
    out: { x: 100, y: 0, other: "loss" },
    back: { x: -40, y: 300, other: "h" },
  });
  expect(leapOf(route.slice(0, 2), 0, "h", "loss")).toBeNull();
});
