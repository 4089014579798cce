import { expect, test } from "vitest";
import { layOutTrace } from "../../src/layout/scene";
import type { Trace } from "../../src/trace/types";
import seed from "../fixtures/seed.json";

test("seed", () => {
  const s = layOutTrace(seed as unknown as Trace, "right", 1.6);
  console.log(s.width, s.height, s.cards.map((c) => [c.title, c.x, c.y, c.width, c.height].join(" ")), s.threads.map((t) => JSON.stringify(t.route)));
  expect(1).toBe(1);
});
