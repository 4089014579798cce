import { type SVGTemplateResult, svg } from "lit";
import { CHARACTER, savedText, savedWidth } from "../layout/sizes";
import type { Arrivals, SavedState, Slot } from "../state/frame";
import type { Saved, Trace, Value } from "../trace/types";
import { drawTiny, TINY } from "./value";
import { chipText, cut, isShort } from "./words";

const HEIGHT = 20;

/** A pill: how it looks, and what it holds: a text after a glyph, what is being added to it, the pattern of a value of many numbers. */
export interface Chip {
  readonly look: string;
  readonly text: string;
  readonly glyph?: string;
  readonly second?: string;
  readonly pattern?: Value | null;
}

const PATTERN = TINY.width + 6;

/** Width of a pill around its content. */
function pillWidth({ text, glyph = "", second = "", pattern = null }: Chip): number {
  const letters = text.length + second.length + (glyph ? glyph.length + 1 : 0);
  return Math.max(46, letters * CHARACTER.small + 18) + (pattern ? PATTERN : 0);
}

/** A pill ending at `right`: filled for a value, outlined for `None`, dotted while there is nothing yet. */
function pill(right: number, middle: number, chip: Chip): SVGTemplateResult {
  const { look, text, glyph = "", second = "", pattern = null } = chip;
  const width = pillWidth(chip);
  const left = right - width;
  const centre = left + (width + (pattern ? PATTERN : 0)) / 2;
  // A pattern stands before the text, which keeps its middle in the room that is left.
  return svg`<g class="pill ${look}">
    <rect x=${left} y=${middle - HEIGHT / 2} width=${width} height=${HEIGHT} rx=${HEIGHT / 2}/>
    ${pattern ? drawTiny(pattern, left + 10, middle - TINY.height / 2) : ""}
    <text x=${centre} y=${middle + 4}>${glyph ? svg`<tspan class="glyph">${glyph} </tspan>` : ""}${text}<tspan class=${second ? "late" : ""}>${second}</tspan></text>
  </g>`;
}

/** A pill as large as it can be in a place `most` wide and high, around (`x`, `y`). */
export function drawLarge(
  chip: Chip,
  x: number,
  y: number,
  most: { width: number; height: number },
): SVGTemplateResult {
  const scale = Math.min(most.width / pillWidth(chip), most.height / HEIGHT);
  return svg`<g data-at=${`${x} ${y}`} transform="translate(${x} ${y}) scale(${scale.toFixed(2)})">${pill(pillWidth(chip) / 2, 0, chip)}</g>`;
}

const patternOf = (value: Value): Value | null => (isShort(value) ? null : value);

/** `.grad`, as the person would see it; `step` is when it is looked at. */
export function gradientChip(slot: Slot, step: number): Chip {
  if (slot.state === "not_yet") return { look: "not-yet", text: "· · ·" };
  if (slot.state === "none") return { look: "none", text: "None" };
  return {
    look: `sum ${slot.cause === step ? "stored" : ""}`,
    text: chipText(slot.value),
    glyph: "Σ",
    pattern: patternOf(slot.value),
  };
}

export const drawGradient = (slot: Slot, step: number, right: number, middle: number): SVGTemplateResult =>
  pill(right, middle, gradientChip(slot, step));

/** What has arrived at a node in this pass. */
export function arrivalsChip(arrivals: Arrivals, ended: boolean): Chip {
  const { gradient, joining, justIn, justSummed } = arrivals;
  // What just came in shows when its message has travelled here.
  const look = `${lookOf(arrivals, ended)} ${justIn && !joining ? "late" : ""} ${justSummed ? "summed" : ""}`;
  if (gradient.state !== "value") return { look, text: gradient.state === "none" ? "None" : "··", glyph: "∂" };
  return {
    look,
    text: chipText(gradient.value),
    glyph: "∂",
    second: joining ? ` + ${chipText(joining)}` : "",
    pattern: joining ? null : patternOf(gradient.value),
  };
}

/** What has arrived at a node, with the node's name in the room that is left beside it. */
export function drawArrivals(
  name: string,
  arrivals: Arrivals,
  ended: boolean,
  left: number,
  right: number,
  middle: number,
): SVGTemplateResult {
  const chip = arrivalsChip(arrivals, ended);
  const room = Math.floor((right - left - pillWidth(chip) - 6) / CHARACTER.small);
  return svg`<text class="name" x=${left} y=${middle + 4}>${cut(name, Math.max(4, room))}</text>${pill(right, middle, chip)}`;
}

function lookOf({ gradient, joining, phase }: Arrivals, ended: boolean): string {
  if (gradient.state === "not_yet") return "not-yet";
  if (gradient.state === "none") return "none";
  return `gradient ${joining ? "joining" : phase === "ran" && ended ? "spent" : ""}`;
}

/** Badges of what a node keeps, left to right; a freed badge stays as an empty place. */
export function drawSaved(
  trace: Trace,
  saved: readonly Saved[],
  states: readonly SavedState[],
  left: number,
  top: number,
  most: number,
): SVGTemplateResult {
  let x = left;
  const badges = saved.map((each, i) => {
    const text = savedText(trace, each);
    const width = savedWidth(each.name, text);
    const state = states[i] ?? "not_yet";
    if (x > left && x + width > most) return svg``;
    const badge = svg`<g class="badge ${state}" transform="translate(${x} ${top})">
      <rect width=${width} height="20" rx="4"/><rect class="level" x="1" y="1" width=${width - 2} height="18" rx="3"/>
      <path class="mark" d="M7 5h7v10l-3.5-3l-3.5 3z"/>
      <text x="19" y="14">${cut(each.name, 10)} <tspan class="held-value">${state === "freed" ? "" : cut(text, 9)}</tspan></text>
    </g>`;
    x += width + 6;
    return badge;
  });
  return svg`${badges}`;
}
