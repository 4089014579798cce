import { nothing, type SVGTemplateResult, svg } from "lit";
import { gridOf, type ValueBlock } from "../layout/cards";
import { CARD } from "../layout/sizes";
import type { Slot } from "../state/frame";
import type { Value } from "../trace/types";
import { cut } from "./words";

/** Heat classes on each side of zero. */
const SHADES = 4;

/** The elements of a value as a block of numbers or a heatmap, `width` wide and starting at `top`. */
export function drawBlock(
  block: ValueBlock,
  slot: Slot,
  width: number,
  top: number,
): SVGTemplateResult | typeof nothing {
  if (block.kind !== "cells" || slot.state !== "value") return nothing;
  return block.numbers ? drawNumbers(slot.value, width, top) : drawHeat(slot.value, width, top);
}

function drawNumbers(value: Value, width: number, top: number): SVGTemplateResult {
  const { width: cellWidth, height: cellHeight } = CARD.cell.number;
  const [rows, columns] = gridOf(value);
  const left = (width - columns * cellWidth) / 2;
  return svg`<g class="numbers">
    <rect class="frame" x=${left} y=${top} width=${columns * cellWidth} height=${rows * cellHeight} rx="3"/>
    ${(value.data ?? []).map(
      (element, i) =>
        svg`<text class="element" x=${left + ((i % columns) + 0.5) * cellWidth} y=${top + (Math.floor(i / columns) + 0.5) * cellHeight + 4}>${cut(shortNumber(element), 6)}</text>`,
    )}
  </g>`;
}

function shortNumber(element: number | string | boolean): string {
  if (typeof element !== "number") return String(element);
  const text = Number.isInteger(element) ? String(element) : String(Number(element.toPrecision(3)));
  return text.replace("-", "−");
}

/** One path per shade keeps a heatmap of 256 cells at nine elements; colours come from the theme. */
function drawHeat(value: Value, width: number, top: number): SVGTemplateResult {
  const cells = value.data ? reshape(value.data, gridOf(value)[1]) : (value.thumbnail ?? []);
  const [rows, columns] = [cells.length, cells[0]?.length ?? 0];
  const { width: heatWidth, height: heatHeight } = CARD.cell.heat;
  const size = Math.max(1, Math.min(heatWidth / Math.max(1, columns), heatHeight / Math.max(1, rows), 16));
  const left = (width - columns * size) / 2;
  const paths = new Map<string, string>();
  const reach = Math.max(Math.abs(Number(value.low ?? 0)), Math.abs(Number(value.high ?? 0))) || 1;
  for (const [r, row] of cells.entries()) {
    for (const [c, element] of row.entries()) {
      const shade = shadeOf(element, reach);
      paths.set(shade, `${paths.get(shade) ?? ""}M${left + c * size} ${top + r * size}h${size}v${size}h${-size}z`);
    }
  }
  return svg`<g class="heat">
    ${[...paths].map(([shade, d]) => svg`<path class=${shade} d=${d}/>`)}
    <rect class="frame" x=${left} y=${top} width=${columns * size} height=${rows * size}/>
  </g>`;
}

function reshape<T>(data: readonly T[], columns: number): T[][] {
  const rows: T[][] = [];
  for (let start = 0; start < data.length; start += Math.max(1, columns)) rows.push(data.slice(start, start + columns));
  return rows;
}

function shadeOf(element: number | string | boolean, reach: number): string {
  if (typeof element === "string") return "odd";
  const level = Math.round(Math.min(1, Math.abs(Number(element)) / reach) * SHADES);
  return level === 0 ? "zero" : `${Number(element) < 0 ? "minus" : "plus"}-${level}`;
}
