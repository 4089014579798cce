import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Point } from "../layout/model";
import type { PlacedCard } from "../layout/scene";
import { CHARACTER } from "../layout/sizes";
import { boxAround, touches } from "../layout/titles";
import type { Difference } from "../state/compare";
import { chipBox } from "./thread";

const WORDS: Readonly<Record<Exclude<Difference, "">, string>> = {
  alone: "only here",
  value: "≠ value",
  gradient: "≠ gradient",
};

/** How far a flag overlaps its card, and how high it is. */
const [LAP, HEIGHT] = [8, 18];

/**
 * A flag on a card that differs from its twin in the run beside it: at the lower right corner, or another one where fewer
 * `messages` rest. It is drawn `magnified` times as large, as they are.
 */
export function drawDifference(
  card: PlacedCard,
  difference: Difference,
  messages: readonly Point[],
  magnified: number,
): SVGTemplateResult | typeof nothing {
  if (difference === "") return nothing;
  const text = WORDS[difference];
  const width = text.length * CHARACTER.small + 14;
  const seen = { width: width * magnified, height: HEIGHT * magnified };
  const [left, right] = [10 + seen.width / 2, card.width - 10 - seen.width / 2];
  const [above, below] = [LAP - seen.height / 2, card.height - LAP + seen.height / 2];
  const hidden = ({ x, y }: Point): number => {
    const flag = boxAround({ x: card.x + x, y: card.y + y }, seen.width, seen.height);
    return messages.filter((at) => touches(flag, chipBox(at, magnified))).length;
  };
  const [place] = [below, above]
    .flatMap((y) => [right, left].map((x): Point => ({ x, y })))
    .toSorted((one, other) => hidden(one) - hidden(other));
  return svg`<g class="difference" transform="translate(${place?.x} ${place?.y})">
    <g class="sized"><rect x=${-width / 2} y=${-HEIGHT / 2} width=${width} height=${HEIGHT} rx="3"/><text y="4">${text}</text></g></g>`;
}
