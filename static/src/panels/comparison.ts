import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import { slotWords } from "../drawing/words";
import { type At, compareNames, type Pair } from "../state/compare";
import { baseStyle } from "./base-style";

/** Every name in two runs, what differs first seen. */
@customElement("backplay-comparison")
export class Comparison extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; overflow: auto; background: var(--surface); }
      /* All five columns are in view wherever a number fits into one; a narrower panel scrolls. */
      table { border-collapse: collapse; table-layout: fixed; width: 100%; min-width: 30rem; font-size: var(--size-small); }
      th:first-child { width: 16%; }
      th { text-align: left; font-weight: 600; font-size: var(--size-caption); color: var(--ink-soft); padding: var(--gap-2) var(--gap-3) 0.2rem; white-space: nowrap; }
      td { padding: 0.25rem var(--gap-3); border-top: 1px solid var(--rule); font-family: var(--code); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
      td.differs { background: var(--now-field); }
      tr.differs td:first-child::before { content: "≠ "; font-weight: 600; }
      .not_yet { color: var(--ink-soft); font-family: var(--label); }
      p, form { padding: var(--gap-3) var(--gap-4) 0; font-size: var(--size-small); }
      form { display: flex; gap: var(--gap-2); align-items: center; flex-wrap: wrap; }
      input { font: inherit; font-family: var(--code); color: inherit; background: var(--sunken); border: 1px solid var(--wire); border-radius: var(--round); padding: 0.3rem 0.6rem; min-width: 8rem; flex: 0 1 20rem; }
      :is(form, p) button { border-color: var(--wire); }
      @media (pointer: coarse) { button, input { min-height: 2.95rem; } }
    `,
  ];

  @property({ attribute: false }) earlier: At | null = null;
  @property({ attribute: false }) now: At | null = null;
  /** Whether a run is kept that no other stands beside yet. */
  @property({ type: Boolean }) keeps = false;
  @property({ type: Boolean }) canRun = false;

  protected override render() {
    if (!this.earlier || !this.now) return this.drawInvitation();
    return html`<table aria-label="Comparison"><thead><tr><th scope="col">Name</th><th scope="col">Before</th><th scope="col">Now</th><th scope="col">.grad before</th><th scope="col">.grad now</th></tr></thead>
      <tbody>${compareNames(this.earlier, this.now).map(
        ({ name, value, gradient }) =>
          html`<tr class=${value.differs || gradient.differs ? "differs" : ""}><td>${name}</td>${drawPair(value)}${drawPair(gradient)}</tr>`,
      )}</tbody></table>`;
  }

  /** How to set another run beside this one. */
  private drawInvitation() {
    if (!this.canRun) return html`<p>Runs can be compared where snippets can be run.</p>`;
    return html`<p>${
      this.keeps
        ? "This run is kept. Change the code and press Run: both will stand side by side."
        : html`<button class="keep" @click=${() => this.dispatchEvent(new CustomEvent("keep"))}>Keep this run</button> and the next one stands beside it. Or set this run beside a link's:`
    }</p>
      <form @submit=${this.submit}>
        <label for="link">A link to other code</label>
        <input id="link" type="url" required autocomplete="off" spellcheck="false" placeholder="…/play#code=…">
        <button>Compare with it</button>
      </form>`;
  }

  private submit(event: Event): void {
    event.preventDefault();
    const link = this.renderRoot.querySelector<HTMLInputElement>("#link")?.value ?? "";
    this.dispatchEvent(new CustomEvent<string>("compare-with", { detail: link }));
  }
}

/** What differs is marked, and nothing else of its row. */
const drawPair = ({ slots, differs }: Pair) =>
  slots.map(
    (slot) =>
      html`<td class="${slot?.state ?? "not_yet"} ${differs ? "differs" : ""}">${slot ? slotWords(slot) : "not in this run"}</td>`,
  );

declare global {
  interface HTMLElementTagNameMap {
    "backplay-comparison": Comparison;
  }
}
