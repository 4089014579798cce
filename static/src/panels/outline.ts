import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { slotWords } from "../drawing/words";
import { distinctTitles } from "../layout/parts";
import type { Scene } from "../layout/scene";
import { remarkOf } from "../layout/sizes";
import { type Found, find } from "../state/find";
import { currentPass, nodeArrivals, tensorGradient, tensorValue } from "../state/frame";
import type { History } from "../state/history";
import { baseStyle } from "./base-style";

/** More rows than this are not listed; the parts they stand in can be folded, what is looked for can be told in more letters. */
const MOST_ROWS = 200;
/** As many buttons that fold a part stand above the list; more would stand before it like a wall. */
const FEW_PARTS = 3;

/** The graph as a list: everything on the stage can be read, chosen, folded and opened from here. */
@customElement("backplay-outline")
export class Outline extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; container-type: inline-size; overflow: auto; padding: var(--gap-2) var(--gap-3); background: var(--surface); font-size: var(--size-small); }
      ol { display: grid; grid-template-columns: fit-content(22rem) auto minmax(5rem, 1fr) auto auto; column-gap: var(--gap-4); }
      li { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: baseline; padding: 0.1rem var(--gap-1); border-top: 1px solid var(--rule); }
      li > * { overflow-wrap: anywhere; }
      /* Unlike what stands beside it a name takes the room that its letters need. */
      li > button:first-child { overflow-wrap: break-word; }
      .value { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
      li > button { justify-self: start; text-align: left; margin-left: -0.4rem; padding: 0.1rem 0.4rem; }
      li > button:first-child { font-family: var(--code); font-weight: 600; }
      /* What does not fit beside a name hangs below it, indented. */
      @container (max-width: 42rem) {
        ol { display: block; }
        li { display: flex; flex-wrap: wrap; gap: 0 var(--gap-3); padding-left: var(--gap-4); }
        li > button:first-child { margin-left: calc(-1 * var(--gap-4)); flex: 1 0 100%; overflow-wrap: anywhere; }
      }
      @media (pointer: coarse) { .parts button, li > button, input, summary { min-height: 2.95rem; } summary { line-height: 2.5rem; } }
      .find { display: flex; align-items: center; gap: var(--gap-2); margin-bottom: var(--gap-2); }
      input { font: inherit; font-family: var(--code); color: inherit; background: var(--sunken); border: 1px solid var(--wire); border-radius: var(--round); padding: 0.3rem 0.6rem; min-width: 8rem; flex: 0 1 18rem; }
      .selected { background: var(--sunken); }
      .soft { color: var(--ink-soft); }
      .parts { display: flex; flex-wrap: wrap; gap: var(--gap-1); margin-bottom: var(--gap-2); }
      summary { width: fit-content; cursor: pointer; padding: 0.2rem 0.4rem; margin: 0 0 var(--gap-1) -0.4rem; color: var(--ink-soft); }
      .parts button { border-color: var(--wire); font-size: var(--size-caption); padding: 0.2rem 0.6rem; text-align: left; }
    `,
  ];

  @property({ attribute: false }) history: History | null = null;
  @property({ attribute: false }) scene: Scene | null = null;
  @property({ type: Number }) step = 0;
  @property({ type: Number }) selected: number | null = null;

  /** What is looked for, and what answers to it. */
  @state() private wanted = "";
  private found: readonly Found[] = [];
  @query("input") private field!: HTMLInputElement | null;

  /** Lets a person type what they look for. */
  find(): void {
    void this.updateComplete.then(() => this.field?.select());
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("history")) this.look(this.wanted);
  }

  protected override render() {
    const { history, scene } = this;
    if (!history || !scene) return nothing;
    const { found } = this;
    return html`<div class="find" role="search">
        <label for="find">Find</label>
        <input id="find" autocomplete="off" spellcheck="false" placeholder="a name, an operator" .value=${this.wanted} @input=${(event: Event) => this.look((event.target as HTMLInputElement).value)} @keydown=${this.take}>
        <span class="soft" role="status">${this.wanted.trim() === "" ? "" : found.length === 0 ? "Nothing in this run is called so." : `${found.length} found`}</span>
      </div>
      ${this.wanted.trim() === "" ? this.drawStage(history, scene) : this.drawFound(history, found)}`;
  }

  private look(words: string): void {
    this.wanted = words;
    this.found = this.history ? find(this.history.trace, words) : [];
  }

  /** Enter takes the first one; Escape looks for nothing any more, and then leaves the field. */
  private take({ key }: KeyboardEvent): void {
    const [first] = this.found;
    if (key === "Enter" && first) this.choose(first);
    if (key !== "Escape") return;
    if (this.wanted === "") this.dispatchEvent(new CustomEvent("leave"));
    this.look("");
  }

  private choose(found: Found): void {
    this.dispatchEvent(new CustomEvent<Found>("choose-found", { detail: found }));
  }

  private drawFound({ trace }: History, found: readonly Found[]) {
    return html`<ol aria-label="Found">${found.slice(0, MOST_ROWS).map((each) => {
      const { label, role, span, scope } = trace.tensors[each.tensor] ?? {};
      const around = trace.scopes[scope ?? 0];
      return html`<li>
        <button @click=${() => this.choose(each)}>${label}</button>
        <span class="soft">${trace.nodes[each.node ?? -1]?.name ?? role}</span>
        <span>${span ? `line ${span.line}` : ""}</span>
        <span class="soft">${around && around.kind !== "program" ? around.title : ""}</span>
        <span class="soft">step ${each.step + 1}</span></li>`;
    })}</ol>${drawRest(found.length)}`;
  }

  /** What stands on the stage. */
  private drawStage(history: History, scene: Scene) {
    const { step } = this;
    const shown = scene.cards.map((card, index) => ({ card, index })).filter(({ card }) => card.step <= step);
    const pass = currentPass(history, step);
    const open = scene.parts.map((part) => part.scope);
    const titles = distinctTitles(scene.program, open);
    return html`
      ${
        open.length > 0
          ? html`<details ?open=${open.length <= FEW_PARTS}><summary>${open.length === 1 ? "1 part that can be folded" : `${open.length} parts that can be folded`}</summary>
        <div class="parts">${open.map((part, index) => html`<button @click=${() => this.send("toggle-part", part)}>Fold ${titles[index]}</button>`)}</div></details>`
          : nothing
      }
      ${shown.length === 0 ? html`<p class="soft">Nothing is recorded yet: each operation is listed here as its line runs.</p>` : nothing}
      <ol aria-label="Graph as a list">${shown.slice(0, MOST_ROWS).map(
        ({ card, index }) => html`<li class=${index === this.selected ? "selected" : ""}>
        <button aria-pressed=${index === this.selected} @click=${() => this.send("select-card", index)}>${card.title}</button>
        ${
          card.kind === "group"
            ? html`<span class="soft">${card.operations} operations</span><button @click=${() => this.send("toggle-part", card.scope)}>Open</button>`
            : html`<span class="soft">${[card.node === null ? card.kind : history.trace.nodes[card.node]?.name, remarkOf(card)].filter(Boolean).join(", ")}</span>
            ${card.tensor === null ? nothing : html`<span class="value">${slotWords(tensorValue(history, card.tensor, step))}</span><span class="soft">.grad ${slotWords(tensorGradient(history, card.tensor, step))}</span>`}
            ${card.node === null || !pass ? nothing : html`<span class="soft">∂ ${slotWords(nodeArrivals(history, card.node, step, pass).gradient)}</span>`}`
        }
      </li>`,
      )}</ol>
      ${drawRest(shown.length)}
    `;
  }

  private send(type: string, detail: number): void {
    this.dispatchEvent(new CustomEvent<number>(type, { detail }));
  }
}

const drawRest = (rows: number) =>
  rows > MOST_ROWS ? html`<p class="soft">and ${(rows - MOST_ROWS).toLocaleString("en")} more</p>` : nothing;

declare global {
  interface HTMLElementTagNameMap {
    "backplay-outline": Outline;
  }
}
