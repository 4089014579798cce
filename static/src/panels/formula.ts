import { html, mathml, nothing, type TemplateResult } from "lit";
import type { Formula } from "../trace/types";

/** Draws a typed expression tree as MathML. The tree holds symbols only, never markup. */
export function drawFormula(formula: Formula | null): TemplateResult | typeof nothing {
  return formula ? html`<math display="block">${part(formula)}</math>` : nothing;
}

function part(formula: Formula | undefined): unknown {
  if (!formula) return nothing;
  const { kind, text, parts } = formula;
  const [first, second] = parts;
  switch (kind) {
    case "number":
      return number(text);
    case "name":
      return mathml`<mi>${text}</mi>`;
    case "operator":
      return mathml`<mrow>${joined(parts, text)}</mrow>`;
    case "equals":
      return parts.length > 1 && width(formula) > ONE_LINE
        ? stacked(parts)
        : mathml`<mrow>${joined(parts, "=")}</mrow>`;
    case "fraction":
      return mathml`<mfrac><mrow>${part(first)}</mrow><mrow>${part(second)}</mrow></mfrac>`;
    case "partial":
      return mathml`<mfrac><mrow><mo>∂</mo>${part(first)}</mrow><mrow><mo>∂</mo>${part(second)}</mrow></mfrac>`;
    case "power":
      return mathml`<msup><mrow>${part(first)}</mrow><mrow>${part(second)}</mrow></msup>`;
    case "subscript":
      return mathml`<msub><mrow>${part(first)}</mrow><mrow>${part(second)}</mrow></msub>`;
    case "transpose":
      return mathml`<msup><mrow>${part(first)}</mrow><mo>⊤</mo></msup>`;
    case "root":
      return mathml`<msqrt>${part(first)}</msqrt>`;
    case "group":
      return mathml`<mrow><mo>(</mo>${parts.map(part)}<mo>)</mo></mrow>`;
    case "norm":
      return mathml`<mrow><mo>‖</mo>${parts.map(part)}<mo>‖</mo></mrow>`;
    case "sum":
      return mathml`<mrow><mo>∑</mo>${parts.map(part)}</mrow>`;
    case "call":
      return mathml`<mrow><mi>${text}</mi><mo>(</mo>${listed(parts)}<mo>)</mo></mrow>`;
    case "row":
      return mathml`<mrow>${parts.map(part)}</mrow>`;
    default:
      return words(text);
  }
}

function joined(parts: readonly Formula[], symbol: string): unknown[] {
  // A single operand takes its operator in front: −x.
  if (parts.length === 1) return [mathml`<mo>${symbol}</mo>`, part(parts[0])];
  return parts.flatMap((each, i) => (i === 0 ? [part(each)] : [mathml`<mo>${symbol}</mo>`, part(each)]));
}

/** A function's arguments: one alone has no comma. */
function listed(parts: readonly Formula[]): unknown[] {
  return parts.flatMap((each, i) => (i === 0 ? [part(each)] : [mathml`<mo separator="true">,</mo>`, part(each)]));
}

/** Characters of a chain of equations that a narrow panel shows in one line. */
const ONE_LINE = 28;

function width({ text, parts }: Formula): number {
  return text.length + parts.reduce((sum, each) => sum + width(each) + 1, 0);
}

/** A long chain of equations, each on a line of its own below the first. */
function stacked(parts: readonly Formula[]): unknown {
  const rows = parts.map(
    (each, i) => mathml`<mtr><mtd>${i === 0 ? nothing : mathml`<mo>=</mo>`}${part(each)}</mtd></mtr>`,
  );
  return mathml`<mtable displaystyle="true">${rows}</mtable>`;
}

const SIGNS = /^[[\]−+<>≤≥=≠¬∨∧]$/u;

/** A sign is an operator, which has space around it; words keep theirs. */
function words(text: string): unknown {
  return SIGNS.test(text) ? mathml`<mo>${text}</mo>` : mathml`<mtext>${text.replace(/^ | $/gu, "\u00a0")}</mtext>`;
}

/** A number, or the numbers of a vector (in a row) or of a matrix (in a table). */
function number(text: string): unknown {
  if (!text.startsWith("[")) return scalar(text);
  const rows = text.replaceAll(/^\[+|\]+$/gu, "").split(/\], \[/u);
  const cells = rows.map((row) => row.split(", ").filter((cell) => cell !== ""));
  if (!text.startsWith("[["))
    return mathml`<mrow><mo>[</mo>${(cells[0] ?? []).flatMap((cell, i) => (i === 0 ? [scalar(cell)] : [mathml`<mo separator="true">,</mo>`, scalar(cell)]))}<mo>]</mo></mrow>`;
  // Its brackets are drawn by the style: as letters they grow with the table only where a font for mathematics is there.
  return mathml`<mtable class="matrix">${cells.map(
    (row) => mathml`<mtr>${row.map((cell) => mathml`<mtd>${scalar(cell)}</mtd>`)}</mtr>`,
  )}</mtable>`;
}

/** One number: `−1.2e−5` is −1.2 · 10⁻⁵. */
function scalar(text: string): unknown {
  const [mantissa, exponent] = text.split("e");
  if (exponent === undefined || !/^−?\d/u.test(exponent)) return mathml`<mn>${text}</mn>`;
  return mathml`<mrow><mn>${mantissa}</mn><mo>·</mo><msup><mn>10</mn><mn>${exponent}</mn></msup></mrow>`;
}
