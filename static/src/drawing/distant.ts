import { nothing, type SVGTemplateResult, svg } from "lit";
import type { PlacedCard } from "../layout/scene";
import { CARD, titleText } from "../layout/sizes";
import { tensorGradient, tensorValue } from "../state/frame";
import { countActivity } from "./activity";
import { arrivals, drawTrack, ended, type Moment } from "./card";
import { arrivalsChip, type Chip, drawLarge, gradientChip } from "./chips";
import { styled } from "./styled";
import { chipText, cut } from "./words";

/** Width of a letter, as a share of its height. */
const ADVANCE = 0.6;
/** Heights of the letters of a title: as large as the card has room for, within these. */
const LETTERS = { least: 15, most: 30 };
/** Most letters of a title; fewer are larger. */
const MOST_LETTERS = 14;
/** Shares of a card's height: the middle of the title, the middle of what stands below it, and how high that is. */
const ROWS = { title: 0.28, below: 0.72, height: 0.36 };

/** A card from far away: its name and its gradient alone, in letters as large as it has room for. */
export function drawDistant(at: Moment, card: PlacedCard): SVGTemplateResult {
  const most = { width: card.width - 2 * CARD.padding, height: card.height * ROWS.height };
  const title = cut(titleText(card), card.kind === "group" ? 2 * MOST_LETTERS : MOST_LETTERS);
  const fitting = most.width / (ADVANCE * Math.max(1, title.length));
  const letters = Math.max(LETTERS.least, Math.min(LETTERS.most, fitting, most.height));
  return svg`
    <rect class="outline" width=${card.width} height=${card.height} rx=${card.kind === "leaf" ? 22 : 7}/>
    <text class="title alone" ${styled({ "font-size": `${letters.toFixed(1)}px` })} x=${card.width / 2} y=${card.height * ROWS.title + letters * 0.35}>${title}</text>
    ${card.kind === "group" ? drawProgress(at, card) : drawBelow(at, card, most)}
  `;
}

function drawBelow(at: Moment, card: PlacedCard, most: { width: number; height: number }) {
  const chip = chipOf(at, card);
  return chip ? drawLarge(chip, card.width / 2, card.height * ROWS.below, most) : nothing;
}

/** What a leaf keeps, what has arrived at an operation, or the value of what no gradient reaches. */
function chipOf(at: Moment, card: PlacedCard): Chip | null {
  const { history, step } = at;
  switch (card.kind) {
    case "operation":
      return arrivalsChip(arrivals(at, card), ended(at));
    case "leaf": {
      const kept = tensorGradient(history, card.tensor ?? -1, step);
      const coming = arrivals(at, card);
      // While its gradient is on the way, that is what happens to it.
      return at.pass?.running && coming.gradient.state === "value" && kept.state !== "value"
        ? arrivalsChip(coming, false)
        : gradientChip(kept, step);
    }
    default: {
      const value = card.tensor === null ? null : tensorValue(history, card.tensor, step);
      return value?.state === "value" ? { look: "plain", text: chipText(value.value) } : null;
    }
  }
}

function drawProgress({ history, program, step, pass }: Moment, card: PlacedCard): SVGTemplateResult {
  const { made, ran } = countActivity(history, program, card.parts, step, pass);
  return drawTrack(card, made, ran, card.height * ROWS.below - 5, 10);
}
