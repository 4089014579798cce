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
      return mathml`<mn>${text.replace("-", "−")}</mn>`;
    case "name":
      return mathml`<mi>${text}</mi>`;
    case "operator":
      return mathml`<mrow>${joined(parts, text)}</mrow>`;
    case "equals":
      return mathml`<mrow>${joined(parts, text || "=")}</mrow>`;
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
      return mathml`<mrow><mi>${text}</mi><mo>(</mo>${joined(parts, ",")}<mo>)</mo></mrow>`;
    case "row":
      return mathml`<mrow>${parts.map(part)}</mrow>`;
    default:
      return mathml`<mtext>${text}</mtext>`;
  }
}

function joined(parts: readonly Formula[], symbol: string): unknown[] {
  // A single operand takes its operator in front: −x.
  if (parts.length === 1) return [mathml`<mo>${symbol}</mo>`, part(parts[0])];
  return parts.flatMap((each, i) => (i === 0 ? [part(each)] : [mathml`<mo>${symbol}</mo>`, part(each)]));
}
