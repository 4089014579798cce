import { type SVGTemplateResult, svg } from "lit";
import { CHARACTER, savedWidth } from "../layout/sizes";
import type { Arrivals, SavedState, Slot } from "../state/frame";
import type { Saved } from "../trace/types";
import { chipText, cut } from "./words";

const HEIGHT = 20;

/** Width of a pill around a text. */
function pillWidth(text: string, glyph: string): number {
  return Math.max(46, (text.length + (glyph ? glyph.length + 1 : 0)) * CHARACTER.small + 18);
}

/** A pill ending at `right`: filled for a value, outlined for `None`, dotted while there is nothing yet. */
function pill(right: number, middle: number, text: string, look: string, glyph = "", second = ""): SVGTemplateResult {
  const width = pillWidth(text + second, glyph);
  const left = right - width;
  return svg`<g class="pill ${look}">
    <rect x=${left} y=${middle - HEIGHT / 2} width=${width} height=${HEIGHT} rx=${HEIGHT / 2}/>
    <text x=${left + width / 2} y=${middle + 4}>${glyph ? svg`<tspan class="glyph">${glyph} </tspan>` : ""}${text}<tspan class="late">${second}</tspan></text>
  </g>`;
}

/** `.grad`, as the person would see it. */
export function drawGradient(slot: Slot, right: number, middle: number): SVGTemplateResult {
  if (slot.state === "not_yet") return pill(right, middle, "· · ·", "not-yet");
  if (slot.state === "none") return pill(right, middle, "None", "none");
  return pill(right, middle, chipText(slot.value), "sum", "Σ");
}

/** What has arrived at a node in this pass, with the node's name in the room that is left beside it. */
export function drawArrivals(
  name: string,
  arrivals: Arrivals,
  ended: boolean,
  left: number,
  right: number,
  middle: number,
): SVGTemplateResult {
  const { gradient, joining, justIn } = arrivals;
  const [first, second] =
    gradient.state === "value"
      ? [chipText(gradient.value), joining ? ` + ${chipText(joining)}` : ""]
      : [gradient.state === "none" ? "None" : "··", ""];
  const room = Math.floor((right - left - pillWidth(first + second, "∂") - 6) / CHARACTER.small);
  // What just came in shows when its message has travelled here.
  const look = `${lookOf(arrivals, ended)} ${justIn && !joining ? "late" : ""}`;
  return svg`<text class="name" x=${left} y=${middle + 4}>${cut(name, Math.max(4, room))}</text>${pill(right, middle, first, look, "∂", second)}`;
}

function lookOf({ gradient, joining, phase }: Arrivals, ended: boolean): string {
  if (gradient.state === "not_yet") return "not-yet";
  if (gradient.state === "none") return "none";
  return `gradient ${joining ? "joining" : phase === "ran" && ended ? "spent" : ""}`;
}

/** Badges of what a node keeps, left to right; a freed badge stays as an empty place. */
export function drawSaved(
  saved: readonly Saved[],
  states: readonly SavedState[],
  left: number,
  top: number,
  most: number,
): SVGTemplateResult {
  let x = left;
  const badges = saved.map((each, i) => {
    const width = savedWidth(each.name, each.text);
    const state = states[i] ?? "not_yet";
    if (x > left && x + width > most) return svg``;
    const badge = svg`<g class="badge ${state}" transform="translate(${x} ${top})">
      <rect width=${width} height="20" rx="4"/>
      <path class="mark" d="M7 5h7v10l-3.5-3l-3.5 3z"/>
      <text x="19" y="14">${cut(each.name, 10)} <tspan class="held-value">${state === "freed" ? "" : cut(each.text, 9)}</tspan></text>
    </g>`;
    x += width + 6;
    return badge;
  });
  return svg`${badges}`;
}
