import type { Point } from "./model";
import { CHARACTER } from "./sizes";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A part's title needs this much room; its letters are at most as wide as those on cards. */
const HEIGHT = 16;
const GAP = 5;
/** How many titles may stand above one another at one corner. */
const MOST_STACKED = 5;

/** The ground that a title covers when its line begins at `at`. */
export const titleBox = (title: string, at: Point): Box => ({
  x: at.x - 2,
  y: at.y - 12,
  width: title.length * CHARACTER.small + 4,
  height: HEIGHT,
});

/**
 * Where the titles of parts stand: at the upper left corner of their first box, or else higher, at another box, or
 * below it; never on a card or on another title while there is any other place.
 */
export function placeTitles(
  parts: readonly { readonly title: string; readonly boxes: readonly Box[] }[],
  cards: readonly Box[],
): Point[] {
  const taken: Box[] = [];
  return parts.map(({ title, boxes }) => {
    const corners = boxes.toSorted((a, b) => a.y - b.y || a.x - b.x);
    const places = [
      ...corners.flatMap((box) =>
        Array.from({ length: MOST_STACKED }, (_, k) => ({ x: box.x + 10, y: box.y - GAP - k * HEIGHT })),
      ),
      ...corners.map((box) => ({ x: box.x + 10, y: box.y + box.height + 14 })),
    ];
    const isFree = (at: Point): boolean => {
      const box = titleBox(title, at);
      return !cards.some((card) => touches(box, card)) && !taken.some((other) => touches(box, other));
    };
    const at = places.find(isFree) ?? places[0] ?? { x: 0, y: 0 };
    taken.push(titleBox(title, at));
    return at;
  });
}

export const boxAround = ({ x, y }: Point, width: number, height: number): Box => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
});

export const touches = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
