import { expect, test } from "vitest";
import { arrange } from "../../src/layout/arrange";
import type { Diagram } from "../../src/layout/model";

/** Processor time for a layout of 1,000 boxes, in milliseconds. A gate with room for a slow machine; it took 60 to 120. */
const BUDGET = 1500;

/** A network of 200 layers of five operations each, with skips. */
function deepNetwork(): Diagram {
  const count = 1000;
  const boxes = Array.from({ length: count }, (_, i) => ({ width: 180, height: 90, group: Math.floor(i / 5) }));
  const wires = boxes
    .slice(1)
    .flatMap((_, i) => [
      { from: i, to: i + 1, port: 0 },
      ...(i % 5 === 0 && i >= 5 ? [{ from: i - 5, to: i + 1, port: 1 }] : []),
    ]);
  return { boxes, wires, direction: "right", aspect: 1.6 };
}

test("a network of 1,000 operations is laid out in time", () => {
  const before = process.cpuUsage();
  arrange(deepNetwork());
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(BUDGET);
});
