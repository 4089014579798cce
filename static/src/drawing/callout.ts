import { nothing, type SVGTemplateResult, svg } from "lit";
import type { PlacedCard, Scene } from "../layout/scene";
import { CHARACTER } from "../layout/sizes";
import type { Step } from "../trace/types";
import { chipText } from "./words";

/** The arithmetic of the current step, above the card where it happens: a product being formed, a sum being added. */
export function drawCallout(scene: Scene, event: Step | undefined): SVGTemplateResult | typeof nothing {
  if (event?.kind === "message_sent" && event.substituted) {
    return balloon(
      scene.cards[scene.cardOfNode[event.node] ?? -1],
      event.derivative === event.substituted ? event.substituted : `${event.derivative}  →  ${event.substituted}`,
      "gradient",
      "∂",
    );
  }
  if (event?.kind === "messages_summed") {
    const text = `${chipText(event.before)} + ${chipText(event.incoming)} = ${chipText(event.value)}   ${event.arrived} of ${event.expected}`;
    return balloon(scene.cards[scene.cardOfNode[event.node] ?? -1], text, "gradient adding", "∂");
  }
  if (event?.kind === "gradient_stored") {
    const text = `.grad: ${event.old ? chipText(event.old) : "None"} → ${chipText(event.new)}`;
    return balloon(scene.cards[scene.cardOfTensor[event.tensor] ?? -1], text, "sum", "Σ");
  }
  return nothing;
}

function balloon(
  card: PlacedCard | undefined,
  text: string,
  look: string,
  tag: string,
): SVGTemplateResult | typeof nothing {
  if (!card) return nothing;
  const width = (text.length + tag.length + 2) * CHARACTER.small + 24;
  return svg`<g class="callout ${look}" transform="translate(${card.x + card.width / 2} ${card.y - 20})">
    <rect x=${-width / 2} y="-13" width=${width} height="26" rx="6"/>
    <path d="M-6 13l6 6l6-6z"/>
    <text y="4.5"><tspan class="glyph">${tag}</tspan><tspan dx="8">${text}</tspan></text>
  </g>`;
}
