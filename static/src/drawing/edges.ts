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

/** The first of the numbers, tried from `wish` outwards, with which the fewest are cut. */
export function leastCut(choices: readonly number[], wish: number, cutBy: (choice: number) => number): number {
  let [best, fewest] = [wish, cutBy(wish)];
  for (const choice of choices.toSorted((a, b) => Math.abs(a - wish) - Math.abs(b - wish))) {
    if (fewest === 0) break;
    const cut = cutBy(choice);
    if (cut < fewest) [best, fewest] = [choice, cut];
  }
  return best;
}
