import { nothing, type SVGTemplateResult, svg } from "lit";
import type { PlacedCard } from "../layout/scene";
import { blockSize, CARD, keptTensors, symbolWidth, titleText } from "../layout/sizes";
import { nodeArrivals, type Pass, savedState, tensorGradient, tensorValue, tensorVersion } from "../state/frame";
import type { History } from "../state/history";
import { drawArrivals, drawGradient, drawSaved } from "./chips";
import { drawBlock } from "./value";
import { chipText, cut } from "./words";

/** One card as it is at a step. Pure: the same card and step give the same picture. */
export function drawCard(history: History, card: PlacedCard, step: number, pass: Pass | null): SVGTemplateResult {
  const block = blockSize(card.value);
  const rows = CARD.titleRow + block.height;
  return svg`
    ${drawOutline(card)}
    ${drawTitle(history, card, step)}
    ${card.tensor === null ? nothing : drawBlock(card.value, tensorValue(history, card.tensor, step), card.width, CARD.titleRow + 2)}
    ${card.kind === "leaf" ? drawLeafRows(history, card, step, pass, rows) : nothing}
    ${card.kind === "operation" ? drawOperationRows(history, card, step, pass, rows) : nothing}
    ${card.kind === "group" ? drawGroupRow(history, card, step, pass) : nothing}
    ${card.kind === "constant" ? svg`<text class="name" x=${CARD.padding} y=${rows + 8}>${constantWords(history, card)}</text>` : nothing}
  `;
}

/** A leaf is round, an operation has corners, an untracked tensor is dashed. */
function drawOutline(card: PlacedCard): SVGTemplateResult {
  return svg`<rect class="outline" width=${card.width} height=${card.height} rx=${card.kind === "leaf" ? 22 : 7}/>`;
}

function drawTitle(history: History, card: PlacedCard, step: number): SVGTemplateResult {
  const node = card.node === null ? undefined : history.trace.nodes[card.node];
  const symbol = card.kind === "operation" ? (node?.symbol ?? "") : "";
  const value = card.tensor === null ? null : tensorValue(history, card.tensor, step);
  const version = card.tensor === null ? 0 : tensorVersion(history, card.tensor, step);
  const width = symbolWidth(symbol);
  const x = symbol ? 18 + width : CARD.padding + 4;
  return svg`
    ${symbol ? svg`<rect class="disc" x="11" y="8" width=${width} height="22" rx="11"/><text class="symbol ${symbol.length > 2 ? "word" : ""}" x=${11 + width / 2} y=${symbol.length > 2 ? 23 : 24}>${cut(symbol, 7)}</text>` : nothing}
    <text class="title" x=${x} y="24">${titleText(card)}${card.repeats ? svg`<tspan class="version" dx="6">again</tspan>` : nothing}${version > 0 ? svg`<tspan class="version" dx="5">v${version}</tspan>` : nothing}</text>
    ${card.value.kind === "text" && value ? svg`<text class="value" x=${card.width - CARD.padding - 4} y="24">${value.state === "value" ? chipText(value.value) : "· · ·"}</text>` : nothing}
    ${card.value.kind === "cells" && card.tensor !== null ? svg`<text class="shape" x=${card.width - CARD.padding - 4} y="24">${history.trace.tensors[card.tensor]?.shape.join(" × ")}</text>` : nothing}
  `;
}

function drawLeafRows(
  history: History,
  card: PlacedCard,
  step: number,
  pass: Pass | null,
  top: number,
): SVGTemplateResult {
  const right = card.width - CARD.padding;
  const node = card.node === null ? undefined : history.trace.nodes[card.node];
  const open = node !== undefined && node.step <= step;
  const door = top + CARD.doorRow / 2;
  return svg`
    <line class="divider" x1=${CARD.padding} x2=${right} y1=${top} y2=${top}/>
    ${open ? svg`<g class="door"><text class="name" x=${CARD.padding + 4} y=${door + 5}>${node.name}</text>${drawArrivals(nodeArrivals(history, card.node ?? -1, step, pass), !pass?.running, right, door + 1)}</g>` : nothing}
    <text class="field" x=${CARD.padding + 4} y=${door + CARD.doorRow + 4}>.grad</text>
    ${drawGradient(tensorGradient(history, card.tensor ?? -1, step), right, door + CARD.doorRow)}
  `;
}

function drawOperationRows(
  history: History,
  card: PlacedCard,
  step: number,
  pass: Pass | null,
  top: number,
): SVGTemplateResult {
  const id = card.node ?? -1;
  const node = history.trace.nodes[id];
  if (!node) return svg``;
  const right = card.width - CARD.padding;
  const middle = top + CARD.doorRow / 2;
  const kept = keptTensors(node);
  const states = kept.map(({ position }) => savedState(history, id, position, step));
  const retained = card.tensor === null ? null : tensorGradient(history, card.tensor, step);
  return svg`
    <line class="divider" x1=${CARD.padding} x2=${right} y1=${top} y2=${top}/>
    <text class="name" x=${CARD.padding + 2} y=${middle + 5}>${cut(node.name, 20)}</text>
    ${retained?.state === "value" ? drawGradient(retained, right, middle + 1) : drawArrivals(nodeArrivals(history, id, step, pass), !pass?.running, right, middle + 1)}
    ${
      kept.length > 0
        ? drawSaved(
            kept.map(({ saved }) => saved),
            states,
            CARD.padding,
            top + CARD.doorRow + 5,
            right,
          )
        : nothing
    }
  `;
}

/** How much of a folded part is made, and how much of it backward has passed. */
function drawGroupRow(history: History, card: PlacedCard, step: number, pass: Pass | null): SVGTemplateResult {
  const made = card.members.filter((node) => (history.trace.nodes[node]?.step ?? 0) <= step).length;
  const ran = card.members.filter((node) => nodeArrivals(history, node, step, pass).phase === "ran").length;
  const width = card.width - 2 * CARD.padding;
  const share = (count: number): number => (card.members.length > 0 ? (width * count) / card.members.length : 0);
  const y = CARD.titleRow + 20;
  return svg`
    <text class="name" x=${CARD.padding + 4} y=${CARD.titleRow + 11}>${made} of ${card.members.length} operations${ran > 0 ? `, ∂ through ${ran}` : ""}</text>
    <rect class="track" x=${CARD.padding} y=${y} width=${width} height="5" rx="2.5"/>
    <rect class="track made" x=${CARD.padding} y=${y} width=${share(made)} height="5" rx="2.5"/>
    <rect class="track ran" x=${card.width - CARD.padding - share(ran)} y=${y} width=${share(ran)} height="5" rx="2.5"/>
  `;
}

function constantWords(history: History, card: PlacedCard): string {
  const tensor = card.tensor === null ? undefined : history.trace.tensors[card.tensor];
  return tensor ? `${tensor.dtype} · no grad` : "";
}
