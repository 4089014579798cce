import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { slotWords } from "../drawing/words";
import { distinctTitles } from "../layout/parts";
import type { Scene } from "../layout/scene";
import { remarkOf } from "../layout/sizes";
import { currentPass, nodeArrivals, tensorGradient, tensorValue } from "../state/frame";
import type { History } from "../state/history";
import { baseStyle } from "./base-style";

/** More rows than this are not listed; the parts they stand in can be folded. */
const MOST_ROWS = 200;

/** The graph as a list: everything on the stage can be read, chosen, folded and opened from here. */
@customElement("backplay-outline")
export class Outline extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; overflow: auto; padding: var(--gap-2) var(--gap-3); background: var(--surface); font-size: var(--size-small); }
      ol { display: grid; grid-template-columns: fit-content(22rem) auto minmax(5rem, 1fr) auto auto; column-gap: var(--gap-4); }
      li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: baseline; padding: 0.1rem var(--gap-1); border-top: 1px solid var(--rule); }
      li > * { overflow-wrap: anywhere; }
      li > button { justify-self: start; text-align: left; margin-left: -0.4rem; padding: 0.1rem 0.4rem; }
      li > button:first-child { font-family: var(--code); font-weight: 600; }
      /* What does not fit beside a name hangs below it, indented. */
      @container (max-width: 560px) {
        ol { display: block; }
        .parts button, li > button { min-height: 2.95rem; }
        li { display: flex; flex-wrap: wrap; gap: 0 var(--gap-3); padding-left: var(--gap-4); }
        li > :first-child { margin-left: calc(-1 * var(--gap-4)); flex: 1 0 100%; }
      }
      .selected { background: var(--sunken); }
      .soft { color: var(--ink-soft); }
      .parts { display: flex; flex-wrap: wrap; gap: var(--gap-1); margin-bottom: var(--gap-2); }
      .parts button { border-color: var(--wire); font-size: var(--size-caption); padding: 0.2rem 0.6rem; text-align: left; }
    `,
  ];

  @property({ attribute: false }) history: History | null = null;
  @property({ attribute: false }) scene: Scene | null = null;
  @property({ type: Number }) step = 0;
  @property({ type: Number }) selected: number | null = null;

  protected override render() {
    const { history, scene, step } = this;
    if (!history || !scene) return nothing;
    const shown = scene.cards.map((card, index) => ({ card, index })).filter(({ card }) => card.step <= step);
    const pass = currentPass(history, step);
    const open = scene.parts.map((part) => part.scope);
    const titles = distinctTitles(scene.program, open);
    return html`
      ${open.length > 0 ? html`<div class="parts">${open.map((part, index) => html`<button @click=${() => this.send("toggle-part", part)}>Fold ${titles[index]}</button>`)}</div>` : nothing}
      ${shown.length === 0 ? html`<p class="soft">Nothing is recorded yet: each operation is listed here as its line runs.</p>` : nothing}
      <ol aria-label="Graph as a list">${shown.slice(0, MOST_ROWS).map(
        ({ card, index }) => html`<li class=${index === this.selected ? "selected" : ""}>
        <button aria-pressed=${index === this.selected} @click=${() => this.send("select-card", index)}>${card.title}</button>
        ${
          card.kind === "group"
            ? html`<span class="soft">${card.operations} operations</span><button @click=${() => this.send("toggle-part", card.scope)}>Open</button>`
            : html`<span class="soft">${[card.node === null ? card.kind : history.trace.nodes[card.node]?.name, remarkOf(card)].filter(Boolean).join(", ")}</span>
            ${card.tensor === null ? nothing : html`<span>${slotWords(tensorValue(history, card.tensor, step))}</span><span class="soft">.grad ${slotWords(tensorGradient(history, card.tensor, step))}</span>`}
            ${card.node === null || !pass ? nothing : html`<span class="soft">∂ ${slotWords(nodeArrivals(history, card.node, step, pass).gradient)}</span>`}`
        }
      </li>`,
      )}</ol>
      ${shown.length > MOST_ROWS ? html`<p class="soft">and ${shown.length - MOST_ROWS} more</p>` : nothing}
    `;
  }

  private send(type: string, detail: number): void {
    this.dispatchEvent(new CustomEvent<number>(type, { detail }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-outline": Outline;
  }
}
