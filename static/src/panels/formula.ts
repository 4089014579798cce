import { html, nothing, type TemplateResult } from "lit";
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
      return html`<mn>${text.replace("-", "−")}</mn>`;
    case "name":
      return html`<mi>${text}</mi>`;
    case "operator":
      return html`<mrow>${joined(parts, text)}</mrow>`;
    case "equals":
      return html`<mrow>${joined(parts, text || "=")}</mrow>`;
    case "fraction":
      return html`<mfrac><mrow>${part(first)}</mrow><mrow>${part(second)}</mrow></mfrac>`;
    case "partial":
      return html`<mfrac><mrow><mo>∂</mo>${part(first)}</mrow><mrow><mo>∂</mo>${part(second)}</mrow></mfrac>`;
    case "power":
      return html`<msup><mrow>${part(first)}</mrow><mrow>${part(second)}</mrow></msup>`;
    case "subscript":
      return html`<msub><mrow>${part(first)}</mrow><mrow>${part(second)}</mrow></msub>`;
    case "transpose":
      return html`<msup><mrow>${part(first)}</mrow><mo>⊤</mo></msup>`;
    case "root":
      return html`<msqrt>${part(first)}</msqrt>`;
    case "group":
      return html`<mrow><mo>(</mo>${parts.map(part)}<mo>)</mo></mrow>`;
    case "norm":
      return html`<mrow><mo>‖</mo>${parts.map(part)}<mo>‖</mo></mrow>`;
    case "sum":
      return html`<mrow><mo>∑</mo>${parts.map(part)}</mrow>`;
    case "call":
      return html`<mrow><mi>${text}</mi><mo>(</mo>${joined(parts, ",")}<mo>)</mo></mrow>`;
    case "row":
      return html`<mrow>${parts.map(part)}</mrow>`;
    default:
      return html`<mtext>${text}</mtext>`;
  }
}

function joined(parts: readonly Formula[], symbol: string): unknown[] {
  // A single operand takes its operator in front: −x.
  if (parts.length === 1) return [html`<mo>${symbol}</mo>`, part(parts[0])];
  return parts.flatMap((each, i) => (i === 0 ? [part(each)] : [html`<mo>${symbol}</mo>`, part(each)]));
}
