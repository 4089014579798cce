import { html, type TemplateResult } from "lit";

/** A sentence of the trace: plain text in which `backticks` set off code. */
export function prose(text: string): (string | TemplateResult)[] {
  return text.split("`").map((piece, i) => (i % 2 === 1 ? html`<code>${piece}</code>` : piece));
}

/** The same sentence for a screen reader. */
export const spoken = (text: string): string => text.replaceAll("`", "");
