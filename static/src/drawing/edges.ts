import type { Box } from "../layout/titles";
import type { Camera, Size } from "./camera";

/** What is cut by less than this, in pixels, looks whole. */
const SLACK = 1;

/** How many boxes an edge of the stage cuts: they are partly in view. */
export function countCut(boxes: readonly Box[], { x, y, scale }: Camera, stage: Size): number {
  let cut = 0;
  for (const box of boxes) {
    const [left, top] = [box.x * scale + x, box.y * scale + y];
    const [right, bottom] = [left + box.width * scale, top + box.height * scale];
    const seen = right > SLACK && left < stage.width - SLACK && bottom > SLACK && top < stage.height - SLACK;
    const whole = left >= -SLACK && right <= stage.width + SLACK && top >= -SLACK && bottom <= stage.height + SLACK;
    if (seen && !whole) cut++;
  }
  return cut;
}

/** Cards beyond which some are cut whatever one does. */
const CROWD = 100;
/** Whole numbers around zero, the nearest first. */
const AWAY = Array.from({ length: 61 }, (_, index) => (index % 2 ? index + 1 : -index) / 2);

/**
 * Of the views `at` 0, 1, −1, 2 … −30 the first that cuts the fewest cards; null stands for one that will not do.
 */
export function leastCut(cards: readonly Box[], stage: Size, at: (away: number) => Camera | null): Camera | null {
  let [best, fewest] = [at(0), Number.POSITIVE_INFINITY];
  if (cards.length > CROWD) return best;
  for (const away of AWAY) {
    const view = at(away);
    const cut = view ? countCut(cards, view, stage) : fewest;
    if (cut < fewest) [best, fewest] = [view, cut];
    if (fewest === 0) break;
  }
  return best;
}
