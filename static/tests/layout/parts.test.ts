import { expect, test } from "vitest";
import { distinctTitles, type Parts } from "../../src/layout/parts";

/** Parts with these titles, each within the one that is named after it. */
const program = (...parts: readonly (readonly [title: string, parent: number])[]): Parts => {
  const paths: number[][] = [];
  for (const [index, [, parent]] of parts.entries()) paths.push([...(paths[parent] ?? []), index]);
  return { records: parts.map(([title, parent]) => ({ title, parent })), paths } as unknown as Parts;
};

test("parts of one title say what they lie in", () => {
  const parts = program(["turn 1", -1], ["turn 2", -1], ["net (Linear)", 0], ["net (Linear)", 1]);
  expect(distinctTitles(parts, [0, 1, 2, 3])).toEqual([
    "turn 1",
    "turn 2",
    "net (Linear) in turn 1",
    "net (Linear) in turn 2",
  ]);
});

test("parts of one title in one place are numbered", () => {
  const parts = program(["turn 1", -1], ["net (Linear)", 0], ["net (Linear)", 0], ["net (Linear)", -1]);
  expect(distinctTitles(parts, [1, 2, 3])).toEqual([
    "net (Linear) in turn 1 (1)",
    "net (Linear) in turn 1 (2)",
    "net (Linear)",
  ]);
});
