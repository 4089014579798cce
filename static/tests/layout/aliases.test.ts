import { expect, test } from "vitest";
import { wholeGraph } from "../../src/layout/scene";
import { madeFlat } from "../fixtures/made";

test("a leaf is drawn again where it is used far from where it stands, under a key of its own", () => {
  const { cards, threads } = wholeGraph(madeFlat(36, 3));
  const copies = cards.flatMap((card, index) => (card.kind === "leaf" ? [index] : []));
  expect(copies).toHaveLength(3);
  expect(copies.map((index) => cards[index]?.repeats)).toEqual([false, true, true]);
  expect(new Set(copies.map((index) => cards[index]?.key)).size).toBe(3);
  for (const copy of copies) {
    const users = threads.filter(({ from }) => from === copy).map(({ to }) => to);
    expect(Math.max(...users) - Math.min(...users)).toBeLessThanOrEqual(12);
    expect(cards[copy]?.step).toBeLessThanOrEqual(Math.min(...users.map((user) => cards[user]?.step ?? 0)));
  }
});

test("a leaf whose uses are near to one another is drawn once", () => {
  expect(wholeGraph(madeFlat(12, 3)).cards.filter(({ kind }) => kind === "leaf")).toHaveLength(1);
});
