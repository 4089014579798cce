import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { slotWords } from "../drawing/words";
import { type At, compareNames } from "../state/compare";
import type { Slot } from "../state/frame";
import { baseStyle } from "./base-style";

/** Every name in two runs, what differs first seen. */
@customElement("backplay-comparison")
export class Comparison extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; overflow: auto; background: var(--surface); }
      table { border-collapse: collapse; width: 100%; font-size: var(--size-small); }
      th { text-align: left; font-weight: 600; font-size: var(--size-caption); color: var(--ink-soft); padding: var(--gap-2) var(--gap-3) 0.2rem; white-space: nowrap; }
      td { padding: 0.25rem var(--gap-3); border-top: 1px solid var(--rule); font-family: var(--code); max-width: 14rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
      .differs td { background: var(--now-field); }
      .differs td:first-child::before { content: "≠ "; font-weight: 600; }
      .not_yet { color: var(--ink-soft); font-family: var(--label); }
    `,
  ];

  @property({ attribute: false }) earlier: At | null = null;
  @property({ attribute: false }) now: At | null = null;

  protected override render() {
    if (!this.earlier || !this.now) return nothing;
    return html`<table aria-label="Comparison"><thead><tr><th scope="col">Name</th><th scope="col">Before</th><th scope="col">Now</th><th scope="col">.grad before</th><th scope="col">.grad now</th></tr></thead>
      <tbody>${compareNames(this.earlier, this.now).map(
        (row) =>
          html`<tr class=${row.differs ? "differs" : ""}><td>${row.name}</td>${[...row.value, ...row.gradient].map(cell)}</tr>`,
      )}</tbody></table>`;
  }
}

const cell = (slot: Slot | null) =>
  slot ? html`<td class=${slot.state}>${slotWords(slot)}</td>` : html`<td class="not_yet">not in this run</td>`;

declare global {
  interface HTMLElementTagNameMap {
    "backplay-comparison": Comparison;
  }
}
