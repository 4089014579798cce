import { nothing, type SVGTemplateResult, svg } from "lit";
import type { PlacedCard } from "../layout/scene";
import { CHARACTER } from "../layout/sizes";
import type { Difference } from "../state/compare";

const WORDS: Readonly<Record<Exclude<Difference, "">, string>> = {
  alone: "only here",
  value: "≠ value",
  gradient: "≠ gradient",
};

/** A flag on a card that differs from its twin in the run beside it. */
export function drawDifference(card: PlacedCard, difference: Difference): SVGTemplateResult | typeof nothing {
  if (difference === "") return nothing;
  const text = WORDS[difference];
  const width = text.length * CHARACTER.small + 14;
  return svg`<g class="difference" transform="translate(${card.width - 10} ${card.height - 8})">
    <g class="sized"><rect x=${-width} width=${width} height="18" rx="3"/><text x=${-width / 2} y="13">${text}</text></g></g>`;
}
