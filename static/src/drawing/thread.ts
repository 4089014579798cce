import { nothing, type SVGTemplateResult, svg } from "lit";
import { pathText, type Piece, type Walk } from "../layout/paths";
import type { PlacedThread } from "../layout/scene";
import { CHARACTER } from "../layout/sizes";
import { edgeMessage, type Pass } from "../state/frame";
import type { History } from "../state/history";
import { chipText } from "./words";

/** A thread ready for drawing: its pieces, and a walk along it for what travels. */
export interface DrawnThread extends PlacedThread {
  readonly pieces: readonly Piece[];
  readonly walk: Walk;
}

/** How far from the receiving card a message comes to rest. */
const REST = 42;

export const restShare = (walk: Walk): number => Math.min(0.5, REST / Math.max(1, walk.length));

/** The line of a thread. A tracked argument is solid; an untracked one is dashed, for no gradient will pass. */
export function drawLine(thread: DrawnThread, lit: boolean): SVGTemplateResult {
  const look = `${thread.node === null ? "untracked" : "tracked"} ${lit ? "lit" : ""}`;
  return svg`<path class="thread ${look}" pathLength="1" d=${pathText(thread.pieces)}/>`;
}

/** The last message along a thread in this pass, at rest by its receiver. */
export function drawMessage(history: History, thread: DrawnThread, step: number, pass: Pass | null, index: number): SVGTemplateResult | typeof nothing {
  if (thread.node === null) return nothing;
  const slot = edgeMessage(history, thread.node, thread.slot, step, pass);
  if (slot.state === "not_yet") return nothing;
  const text = slot.state === "none" ? "None" : chipText(slot.value);
  const width = text.length * CHARACTER.small + 28;
  const at = thread.walk.at(restShare(thread.walk));
  const fresh = slot.cause === step;
  return svg`<g class="message ${slot.state} ${fresh ? "fresh" : ""} ${pass?.running ? "" : "past"}" data-thread=${index} data-cause=${slot.cause} transform="translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})">
    <rect x=${-width / 2} y="-11" width=${width} height="22" rx="11"/>
    <text y="4"><tspan class="glyph">∂ </tspan>${text}</text>
  </g>`;
}
