import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { slotWords } from "../drawing/words";
import { type Binding, bindings, origin, type Slot, tensorGradient, tensorValue } from "../state/frame";
import type { History } from "../state/history";
import { baseStyle } from "./base-style";

/** Every name of the snippet, with what it means at this step. */
@customElement("backplay-variables")
export class Variables extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; overflow: auto; background: var(--surface); }
      /* Columns stay where they are while values come and go. */
      table { border-collapse: collapse; table-layout: fixed; width: 100%; font-size: var(--size-small); }
      th:first-child { width: 23%; }
      th:nth-child(3) { width: 29%; }
      th:nth-child(4) { width: 26%; }
      th { text-align: left; font-weight: 600; font-size: var(--size-caption); color: var(--ink-soft); padding: var(--gap-2) var(--gap-2) 0.2rem; position: sticky; top: 0; background: var(--surface); white-space: nowrap; }
      td { padding: 0.25rem var(--gap-2); border-top: 1px solid var(--rule); font-family: var(--code); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
      td:first-child { white-space: normal; overflow-wrap: anywhere; }
      /* However long a gradient is, the way to its reason stands beside it. */
      td .grad { display: inline-block; max-width: calc(100% - 2.9rem); overflow: hidden; text-overflow: ellipsis; vertical-align: middle; }
      tr.selected td { background: var(--sunken); }
      tr.changed td:first-child { box-shadow: inset 3px 0 0 var(--now); }
      td button { padding: 0.1rem 0.35rem; margin: -0.1rem -0.35rem; font-weight: 600; font-family: var(--code); text-align: left; }
      td .why { font: var(--size-caption) var(--label); color: var(--ink-soft); vertical-align: middle; text-decoration: underline dotted; text-underline-offset: 3px; }
      td .why:hover { color: var(--ink); }
      .not_yet { color: var(--ink-soft); font-family: var(--label); }
      .not_yet::before { content: "· · · "; letter-spacing: 1px; }
      .none { font-style: italic; border: 1px solid var(--wire); border-radius: 1rem; padding: 0 0.5rem; }
      .value.grad { color: var(--sum); font-weight: 600; }
      .value.grad::before { content: "Σ "; }
      .empty { padding: var(--gap-3) var(--gap-4); font-size: var(--size-small); color: var(--ink-soft); }
      .plain { color: var(--ink-soft); font-family: var(--label); }
      @container (max-width: 560px) { th, td { padding-inline: 0.4rem; } }
      @media (pointer: coarse) { td { padding-block: 0; } td button { min-height: 2.95rem; } td:first-child button { width: 100%; } }
      @media print { td .why { display: none; } }
    `,
  ];

  @property({ attribute: false }) history: History | null = null;
  @property({ type: Number }) step = 0;
  @property({ type: Number }) selectedTensor: number | null = null;

  protected override render() {
    const { history, step } = this;
    const bound = history ? bindings(history, step) : [];
    if (!history || bound.length === 0)
      return html`<p class="empty">${history ? "No name is bound to a tensor in this run." : "Names and their values."}</p>`;
    return html`<table aria-label="Variables"><thead><tr><th scope="col">Name</th><th scope="col">Value</th><th scope="col">.grad</th><th scope="col">grad_fn</th></tr></thead>
      <tbody>${bound.map((binding) => this.drawRow(history, binding))}</tbody></table>`;
  }

  private drawRow(history: History, binding: Binding) {
    const { name, tensor } = binding;
    if (tensor === null) {
      return html`<tr><td>${name}</td><td colspan="3">${binding.state === "gone" ? html`<span class="plain">no longer bound</span>` : html`<span class="not_yet">not computed yet</span>`}</td></tr>`;
    }
    const gradient = tensorGradient(history, tensor, this.step);
    const { gradFn, tracked } = origin(history, tensor, this.step);
    const node = gradFn === null ? null : history.trace.nodes[gradFn];
    const changed = binding.cause === this.step || (gradient.state === "value" && gradient.cause === this.step);
    return html`<tr class="${changed ? "changed" : ""} ${tensor === this.selectedTensor ? "selected" : ""}">
      <td><button @click=${() => this.select(tensor)}>${name.split(".").map((part, i) => html`${i ? html`.<wbr>` : ""}${part}`)}</button></td>
      <td>${slot(tensorValue(history, tensor, this.step), "")}</td>
      <td>${slot(gradient, "grad")}${tracked ? html` <button class="why" aria-label=${`Why this .grad of ${name}?`} @click=${() => this.select(tensor)}>why?</button>` : nothing}</td>
      <td>${node ? node.name : html`<span class="plain">${tracked ? "leaf" : "untracked"}</span>`}</td>
    </tr>`;
  }

  private select(tensor: number): void {
    this.dispatchEvent(new CustomEvent("select-tensor", { detail: tensor }));
  }
}

function slot(what: Slot, look: string) {
  return html`<span class="${what.state} ${look}">${slotWords(what)}</span>`;
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-variables": Variables;
  }
}
