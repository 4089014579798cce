import { nothing, type SVGTemplateResult, svg } from "lit";
import { guard } from "lit/directives/guard.js";
import { gridOf, type ValueBlock } from "../layout/cards";
import { CARD, heatCell } from "../layout/sizes";
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
        svg`<text class="element" x=${left + ((i % columns) + 0.5) * cellWidth} y=${top + (Math.floor(i / columns) + 0.5) * cellHeight + 4}>${cut(shortNumber(element), CELL_CHARACTERS)}</text>`,
    )}
  </g>`;
}

/** As many digits as a cell has room for. */
const CELL_CHARACTERS = 6;

/** Three digits and at least all before the point, else fewer or a power of ten: no digit is made up. */
export function shortNumber(element: number | string | boolean): string {
  const texts = typeof element === "number" ? roundings(element) : [String(element)];
  return (texts.find((text) => text.length <= CELL_CHARACTERS) ?? texts.at(-1) ?? "").replaceAll("-", "−");
}

function roundings(element: number): string[] {
  const whole = Math.trunc(Math.abs(element)).toString().length;
  const plain = Number.isInteger(element)
    ? [element]
    : [3, 2, 1].map((digits) => Number(element.toPrecision(Math.max(digits, whole))));
  return [...plain.map(String), ...[1, 0].map((digits) => element.toExponential(digits).replace(/\.0|\+/g, ""))];
}

/** A heatmap small enough for a pill: which part of a gradient is positive, which negative. */
export const TINY = { width: 26, height: 12, columns: 6, rows: 3 };

const patterns = new WeakMap<Value, readonly (readonly [string, string])[]>();

/** The pattern of a value in a few cells, its upper left corner at (`x`, `y`). */
export function drawTiny(value: Value, x: number, y: number): SVGTemplateResult {
  const paths = patterns.get(value) ?? patternOf(value);
  patterns.set(value, paths);
  return svg`<g class="heat tiny" transform="translate(${x} ${y})">${drawShades(value, paths)}<rect class="frame" width=${TINY.width} height=${TINY.height}/></g>`;
}

/** One path for each shade of a pattern; made once for a value, as it is drawn at every step. */
function patternOf(value: Value): [string, string][] {
  const cells = cellsOf(value);
  const rows = Math.min(TINY.rows, cells.length);
  const columns = Math.min(TINY.columns, cells[0]?.length ?? 0);
  const [width, height] = [TINY.width / Math.max(1, columns), TINY.height / Math.max(1, rows)];
  const reach = reachOf(value, cells);
  const pick = (row: number, column: number) =>
    cells[Math.floor((row * cells.length) / rows)]?.[Math.floor((column * (cells[0]?.length ?? 0)) / columns)] ?? 0;
  const paths = new Map<string, string>();
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const shade = shadeOf(pick(row, column), reach);
      const corner = `${(column * width).toFixed(1)} ${(row * height).toFixed(1)}`;
      const cell = `M${corner}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
      paths.set(shade, (paths.get(shade) ?? "") + cell);
    }
  return [...paths];
}

/** One path for each shade, made once for a value, and by hand: templates would bring two nodes more for each of them. */
const drawShades = (value: Value, paths: Iterable<readonly [string, string]>) =>
  guard([value], () => {
    const drawn = document.createDocumentFragment();
    for (const [shade, d] of paths) {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", shade);
      path.setAttribute("d", d);
      drawn.append(path);
    }
    return drawn;
  });

const cellsOf = (value: Value) => (value.data ? reshape(value.data, gridOf(value)[1]) : (value.thumbnail ?? []));

/** The largest distance from zero, which gets the strongest shade. A value with all its elements carries no range. */
function reachOf({ low, high }: Value, cells: readonly (readonly unknown[])[]): number {
  const ends = low === null || high === null ? cells.flat() : [low, high];
  return Math.max(0, ...ends.map((end) => Math.abs(strengthOf(end))).filter(Number.isFinite)) || 1;
}

/** One path per shade keeps a heatmap of 256 cells at nine elements; colours come from the theme. */
function drawHeat(value: Value, width: number, top: number): SVGTemplateResult {
  const cells = cellsOf(value);
  const [rows, columns] = [cells.length, cells[0]?.length ?? 0];
  const size = heatCell(rows, columns);
  const left = (width - columns * size) / 2;
  const paths = new Map<string, string>();
  const reach = reachOf(value, cells);
  for (const [r, row] of cells.entries()) {
    for (const [c, element] of row.entries()) {
      const shade = shadeOf(element, reach);
      paths.set(shade, `${paths.get(shade) ?? ""}M${left + c * size} ${top + r * size}h${size}v${size}h${-size}z`);
    }
  }
  return svg`<g class="heat">
    ${drawShades(value, paths)}
    <rect class="frame" x=${left} y=${top} width=${columns * size} height=${rows * size}/>
  </g>`;
}

function reshape<T>(data: readonly T[], columns: number): T[][] {
  const rows: T[][] = [];
  for (let start = 0; start < data.length; start += Math.max(1, columns)) rows.push(data.slice(start, start + columns));
  return rows;
}

/** What an element is worth as a shade: a complex number (`3-1j`) its distance from zero; NaN for what is no finite number. */
const strengthOf = (element: unknown): number =>
  typeof element === "string" && /^[^n]*j$/.test(element)
    ? Math.hypot(...(element.match(/[\d.]+(e[+-]?\d+)?/g) ?? []).map(Number))
    : Number(element);

function shadeOf(element: number | string | boolean, reach: number): string {
  const strength = strengthOf(element);
  if (!Number.isFinite(strength)) return "odd";
  const level = Math.round(Math.min(1, Math.abs(strength) / reach) * SHADES);
  return level === 0 ? "zero" : `${strength < 0 ? "minus" : "plus"}-${level}`;
}
