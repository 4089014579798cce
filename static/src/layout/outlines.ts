import type { Point } from "./model";
import type { Parts } from "./parts";
import type { PlacedCard } from "./scene";
import { type Box, placeTitles, touches } from "./titles";

/** A loop turn, a module, a function call or a stretch, with the cards inside it. */
export interface PartOutline {
  readonly scope: number;
  readonly title: string;
  /** How many parts it lies in. */
  readonly depth: number;
  readonly cards: readonly number[];
  /** What to draw behind it: one box where nothing else stands between its cards, else a box for each card. */
  readonly boxes: readonly Box[];
  /** Where the line of its title begins. */
  readonly titleAt: Point;
}

/** Room between a part's border and its cards; less for inner parts, so that nested borders stay apart. */
const margin = (depth: number): number => Math.max(8, 24 - 8 * depth);

/** Every part that has cards on the stage, outermost first. */
export function outlineParts({ records, paths }: Parts, cards: readonly PlacedCard[]): PartOutline[] {
  const inside = new Map<number, { depth: number; members: number[] }>();
  for (const [index, card] of cards.entries()) {
    if (card.kind === "group") continue;
    for (const [depth, part] of (paths[card.scope] ?? []).entries()) {
      const entry = inside.get(part) ?? { depth, members: [] };
      entry.members.push(index);
      inside.set(part, entry);
    }
  }
  const parts = [...inside]
    .map(([scope, { depth, members }]) => ({
      scope,
      depth,
      cards: members,
      title: records[scope]?.title ?? "",
      boxes: boxesFor(cards, members, margin(depth)),
    }))
    .sort((a, b) => a.depth - b.depth || a.scope - b.scope);
  // The innermost stand closest to their cards.
  const titles = placeTitles(parts.toReversed(), cards).reverse();
  return parts.map((part, index) => ({ ...part, titleAt: titles[index] ?? { x: 0, y: 0 } }));
}

function boxesFor(cards: readonly PlacedCard[], members: readonly number[], room: number): Box[] {
  const own = new Set(members);
  const each = members.flatMap((index) => (cards[index] ? [grow(cards[index], room)] : []));
  const left = Math.min(...each.map((box) => box.x));
  const top = Math.min(...each.map((box) => box.y));
  const whole = {
    x: left,
    y: top,
    width: Math.max(...each.map((box) => box.x + box.width)) - left,
    height: Math.max(...each.map((box) => box.y + box.height)) - top,
  };
  return cards.some((card, index) => !own.has(index) && touches(card, whole)) ? each : [whole];
}

const grow = (box: Box, by: number): Box => ({
  x: box.x - by,
  y: box.y - by,
  width: box.width + 2 * by,
  height: box.height + 2 * by,
});
