import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Point } from "../layout/model";
import type { PlacedCard, Scene } from "../layout/scene";
import { CHARACTER } from "../layout/sizes";
import { titleBox, touches } from "../layout/titles";
import type { Step } from "../trace/types";
import { EDGE } from "./camera";
import { chipBox } from "./thread";
import { chipText, cut } from "./words";

/** Space between the pieces of a call-out, in characters. */
const GAP = 1;
/** Longest derivative that is shown; the narration has all of it. */
const LONGEST = 26;
/** What of the world is in view, from left to right, and how much larger than usual balloons are drawn. */
export interface Span {
  readonly left: number;
  readonly right: number;
  readonly magnified: number;
}

/**
 * The arithmetic of the current step, above or below the card where it happens: a product being formed, a sum being added.
 * `messages` is where messages rest; all of it stands inside of what is `seen`.
 */
export function drawCallout(
  scene: Scene,
  messages: readonly Point[],
  event: Step | undefined,
  seen: Span,
): SVGTemplateResult | typeof nothing {
  const balloon = (card: PlacedCard | undefined, pieces: readonly string[], aside = "") =>
    drawBalloon(scene, messages, card, pieces, aside, seen);
  switch (event?.kind) {
    case "message_sent": {
      if (!event.substituted) return nothing;
      const [derivative, numbers] = [event.derivative, event.substituted].map((text) => cut(text, LONGEST));
      const same = derivative === numbers;
      return balloon(cardOfNode(scene, event.node), ["∂", ...(same ? [] : [derivative ?? "", "→"]), numbers ?? ""]);
    }
    case "messages_summed": {
      const [before, incoming, sum] = [event.before, event.incoming, event.value].map(chipText);
      return balloon(
        cardOfNode(scene, event.node),
        [`∂ ${before}`, `+ ${incoming}`, `= ${sum}`],
        `${event.arrived} of ${event.expected}`,
      );
    }
    case "gradient_stored": {
      const card = scene.cards[scene.cardOfTensor[event.tensor] ?? -1];
      if (!event.old) return balloon(card, ["Σ", ".grad", "None", "→", chipText(event.new)]);
      return balloon(card, [
        "Σ .grad",
        chipText(event.old),
        `+ ${chipText(event.incoming)}`,
        `= ${chipText(event.new)}`,
      ]);
    }
    default:
      return nothing;
  }
}

const cardOfNode = (scene: Scene, node: number): PlacedCard | undefined => scene.cards[scene.cardOfNode[node] ?? -1];

/** How much of the picture a balloon would hide: what parts are called, cards, messages where they rest. */
function hidden(scene: Scene, messages: readonly Point[], x: number, y: number, width: number): number {
  const box = { x: x - width / 2, y: y - 13, width, height: 26 };
  const things = [
    ...scene.parts.map((part) => titleBox(part.title, part.titleAt)),
    ...scene.cards,
    ...messages.map(chipBox),
  ];
  return things.filter((thing) => touches(box, thing)).length;
}

/** Pieces appear one after the other, so that a sum is seen to add up. */
function drawBalloon(
  scene: Scene,
  messages: readonly Point[],
  card: PlacedCard | undefined,
  pieces: readonly string[],
  aside: string,
  seen: Span,
): SVGTemplateResult | typeof nothing {
  if (!card) return nothing;
  const all = aside ? [...pieces, "", aside] : pieces;
  const width = all.reduce((sum, piece) => sum + piece.length + GAP, 0) * CHARACTER.small + 22;
  const middle = card.x + card.width / 2;
  const shift = shiftInto(seen, middle, width);
  let x = shift - width / 2 + 14;
  const above = card.y - 20;
  const below = card.y + card.height + 20;
  const [hiddenBelow, hiddenAbove] = [below, above].map((y) => hidden(scene, messages, middle + shift, y, width));
  const under = (hiddenBelow ?? 0) < (hiddenAbove ?? 0);
  return svg`<g class="callout" transform="translate(${middle} ${under ? below : above})">
    <g class="sized"><rect x=${shift - width / 2} y="-13" width=${width} height="26" rx="6"/>
    <path d=${under ? "M-6 -13l6 -6l6 6z" : "M-6 13l6 6l6-6z"}/>
    ${all.map((piece, i) => {
      const at = x;
      x += (piece.length + GAP) * CHARACTER.small;
      return svg`<text class="piece-${Math.min(i, 4)} ${piece === aside ? "aside" : ""}" x=${at} y="4.5">${piece}</text>`;
    })}</g>
  </g>`;
}

/** How far a balloon has to move from the middle of its card to be whole in view; its pointer stays at the card. */
const shiftInto = ({ left, right, magnified }: Span, middle: number, width: number): number =>
  Math.max(
    (left - middle) / magnified + width / 2 + EDGE,
    Math.min(0, (right - middle) / magnified - width / 2 - EDGE),
  );
