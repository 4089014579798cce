import { nothing, type SVGTemplateResult, svg } from "lit";
import type { PartOutline } from "../layout/outlines";
import type { Scene } from "../layout/scene";

/** The ground behind the cards of a loop turn, a module or a call; it shows once the part has begun. */
export function drawHull(scene: Scene, part: PartOutline, step: number): SVGTemplateResult | typeof nothing {
  if (!hasBegun(scene, part, step)) return nothing;
  const whole = part.boxes.length === 1;
  // A box behind one card comes with its card.
  const boxes = whole ? part.boxes : part.boxes.filter((_, index) => isMade(scene, part.cards[index], step));
  return svg`<g class="part depth-${part.depth % 2}">
    ${boxes.map((box) => svg`<rect class="hull ${whole ? "whole" : ""}" x=${box.x} y=${box.y} width=${box.width} height=${box.height} rx="18"/>`)}
  </g>`;
}

/** What a part is called; a press on it folds the part. Drawn above the threads, so that none runs through it. */
export function drawPartTitle(scene: Scene, part: PartOutline, step: number): SVGTemplateResult | typeof nothing {
  if (!hasBegun(scene, part, step)) return nothing;
  const { x, y } = part.titleAt;
  return svg`<text class="part-title" data-part=${part.scope} x=${x} y=${y}>${part.title}</text>`;
}

const hasBegun = (scene: Scene, part: PartOutline, step: number): boolean =>
  part.cards.some((card) => isMade(scene, card, step));

const isMade = (scene: Scene, card: number | undefined, step: number): boolean =>
  (scene.cards[card ?? -1]?.step ?? 0) <= step;
