import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Parts } from "../layout/parts";
import type { PlacedCard } from "../layout/scene";
import {
  blockSize,
  CARD,
  keptTensors,
  progressText,
  remarkOf,
  shapeText,
  symbolOf,
  symbolWidth,
  titleText,
} from "../layout/sizes";
import { nodeArrivals, type Pass, savedState, tensorGradient, tensorValue, tensorVersion } from "../state/frame";
import type { History } from "../state/history";
import type { Node } from "../trace/types";
import { countActivity } from "./activity";
import { drawArrivals, drawGradient, drawSaved } from "./chips";
import { drawBlock } from "./value";
import { chipText } from "./words";

/** A step of a trace, with the backward pass it lies in. */
export interface Moment {
  readonly history: History;
  readonly program: Parts;
  readonly step: number;
  readonly pass: Pass | null;
}

export const LEFT = CARD.padding + 4;

/** One card as it is at a moment. Pure: the same card and moment give the same picture. */
export function drawCard(at: Moment, card: PlacedCard): SVGTemplateResult {
  const top = CARD.titleRow + blockSize(card.value).height;
  return svg`
    <rect class="outline" width=${card.width} height=${card.height} rx=${card.kind === "leaf" ? 22 : 7}/>
    ${drawTitle(at, card)}
    ${card.tensor === null ? nothing : drawBlock(card.value, tensorValue(at.history, card.tensor, at.step), card.width, CARD.titleRow + 2)}
    ${drawRows(at, card, top)}
  `;
}

function drawRows(at: Moment, card: PlacedCard, top: number): SVGTemplateResult {
  switch (card.kind) {
    case "leaf":
      return drawLeafRows(at, card, top);
    case "operation":
      return drawOperationRows(at, card, top);
    case "group":
      return drawGroupRow(at, card);
    case "constant":
      return svg`<text class="name" x=${LEFT} y=${top + 8}>${at.history.trace.tensors[card.tensor ?? -1]?.dtype} · no grad</text>`;
  }
}

const nodeOf = ({ history }: Moment, card: PlacedCard): Node | undefined =>
  card.node === null ? undefined : history.trace.nodes[card.node];

function drawTitle(at: Moment, card: PlacedCard): SVGTemplateResult {
  const symbol = card.kind === "operation" ? symbolOf(nodeOf(at, card)) : "";
  const width = symbolWidth(symbol);
  const version = card.tensor === null ? 0 : tensorVersion(at.history, card.tensor, at.step);
  const word = symbol.length > 2;
  return svg`
    ${symbol ? svg`<rect class="disc" x="11" y="8" width=${width} height="22" rx="11"/><text class="symbol ${word ? "word" : ""}" x=${11 + width / 2} y=${word ? 23 : 24}>${symbol}</text>` : nothing}
    <text class="title" x=${symbol ? 18 + width : LEFT} y="24">${titleText(card)}${remark(card)}${version > 0 ? svg`<tspan class="version" dx="5">v${version}</tspan>` : nothing}</text>
    ${card.tensor === null ? nothing : drawAside(at, card, card.tensor)}
  `;
}

function remark(card: PlacedCard): SVGTemplateResult | typeof nothing {
  const word = remarkOf(card);
  return word ? svg`<tspan class="version" dx="6">${word}</tspan>` : nothing;
}

/** At the end of the title row: the value when it is one number, else the shape. */
function drawAside({ history, step }: Moment, card: PlacedCard, tensor: number): SVGTemplateResult | typeof nothing {
  const x = card.width - LEFT;
  if (card.value.kind === "cells")
    return svg`<text class="shape" x=${x} y="24">${shapeText(history.trace, card)}</text>`;
  if (card.value.kind === "none") return nothing;
  const value = tensorValue(history, tensor, step);
  return svg`<text class="value" x=${x} y="24">${value.state === "value" ? chipText(value.value) : "· · ·"}</text>`;
}

function drawLeafRows(at: Moment, card: PlacedCard, top: number): SVGTemplateResult {
  const right = card.width - CARD.padding;
  const node = nodeOf(at, card);
  const door = top + CARD.doorRow / 2 + 1;
  return svg`
    <line class="divider" x1=${CARD.padding} x2=${right} y1=${top} y2=${top}/>
    ${node && node.step <= at.step ? drawArrivals(node.name, arrivals(at, card), ended(at), LEFT, right, door) : nothing}
    ${drawGradientRow(at, card, LEFT, door + CARD.doorRow)}
  `;
}

function drawOperationRows(at: Moment, card: PlacedCard, top: number): SVGTemplateResult {
  const node = nodeOf(at, card);
  if (!node) return svg``;
  const right = card.width - CARD.padding;
  const middle = top + CARD.doorRow / 2 + 1;
  const kept = keptTensors(node);
  const states = kept.map(({ position }) => savedState(at.history, card.node ?? -1, position, at.step));
  const saved = kept.map((each) => each.saved);
  const gradientRow = card.retains ? CARD.doorRow : 0;
  return svg`
    <line class="divider" x1=${CARD.padding} x2=${right} y1=${top} y2=${top}/>
    ${drawArrivals(node.name, arrivals(at, card), ended(at), LEFT - 2, right, middle)}
    ${saved.length > 0 ? drawSaved(at.history.trace, saved, states, CARD.padding, top + CARD.doorRow + gradientRow + 5, right) : nothing}
    ${card.retains ? drawGradientRow(at, card, LEFT - 2, middle + CARD.doorRow) : nothing}
  `;
}

/** What a leaf keeps, and a result that was told to. */
function drawGradientRow({ history, step }: Moment, card: PlacedCard, left: number, middle: number): SVGTemplateResult {
  const gradient = drawGradient(
    tensorGradient(history, card.tensor ?? -1, step),
    step,
    card.width - CARD.padding,
    middle,
  );
  return svg`<text class="field" x=${left} y=${middle + 4}>.grad</text>${gradient}`;
}

export const arrivals = ({ history, step, pass }: Moment, card: PlacedCard) =>
  nodeArrivals(history, card.node ?? -1, step, pass);

export const ended = ({ pass }: Moment): boolean => !pass?.running;

/** How much of a folded part is made, and how much of it backward has passed. */
function drawGroupRow({ history, program, step, pass }: Moment, card: PlacedCard): SVGTemplateResult {
  const { made, ran } = countActivity(history, program, card.parts, step, pass);
  return svg`
    <text class="name" x=${LEFT} y=${CARD.titleRow + 11}>${progressText(card, made, ran)}</text>
    ${drawTrack(card, made, ran, CARD.titleRow + 20, 5)}
  `;
}

/** How far a folded part has come: forward from its left end, backward from its right one. */
export function drawTrack(card: PlacedCard, made: number, ran: number, y: number, height: number): SVGTemplateResult {
  const width = card.width - 2 * CARD.padding;
  const share = (count: number): number => (card.operations > 0 ? (width * count) / card.operations : 0);
  const bar = (look: string, x: number, length: number) =>
    svg`<rect class="track ${look}" x=${x} y=${y} width=${length} height=${height} rx=${height / 2}/>`;
  return svg`${bar("", CARD.padding, width)}${bar("made", CARD.padding, share(made))}${bar("ran", card.width - CARD.padding - share(ran), share(ran))}`;
}
