import { css, html, LitElement } from "lit";
import { customElement, property } from "lit/decorators.js";
import { baseStyle } from "./base-style";

/** Tabs over the one panel that is open, which is slotted in. Arrow keys move, as in every tab list. */
@customElement("backplay-tabs")
export class Tabs extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: grid; grid-template-rows: auto minmax(0, 1fr); min-height: 0; min-width: 0; }
      [role="tablist"] { display: flex; gap: var(--gap-1); padding: 0 var(--gap-2); border-bottom: 1px solid var(--rule); background: var(--surface); }
      [role="tab"] { border: 0; border-radius: 0; padding: 0.5rem 0.6rem 0.4rem; font-size: var(--size-caption); font-weight: 600; color: var(--ink-soft); border-bottom: 2px solid transparent; }
      [role="tab"][aria-selected="true"] { color: var(--ink); border-color: var(--ink); }
      /* Inside of it: what stands above and below would cover a ring around it. */
      [role="tab"]:focus-visible { outline-offset: -2.5px; }
      @media (forced-colors: active) { [role="tab"]:not([aria-selected="true"]) { border-color: Canvas; } }
      @container (max-width: 350px) { [role="tab"] { padding-inline: 0.25rem; } }
      @media (pointer: coarse) { [role="tab"] { min-height: 2.95rem; } }
      [role="tabpanel"] { min-height: 0; overflow: auto; }
      @media print { [role="tablist"] { display: none; } }
    `,
  ];

  @property({ attribute: false }) names: readonly string[] = [];
  @property() open = "";

  protected override render() {
    return html`<div role="tablist" aria-label="Values" @keydown=${this.onKey}>
        ${this.names.map((name) => html`<button role="tab" id=${name} aria-selected=${name === this.open} aria-controls="panel" tabindex=${name === this.open ? 0 : -1} @click=${() => this.choose(name)}>${name}</button>`)}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby=${this.open} tabindex="0"><slot></slot></div>`;
  }

  /** Puts the keyboard where the open panel is read from. */
  focusPanel(): void {
    this.renderRoot.querySelector<HTMLElement>("[role=tabpanel]")?.focus();
  }

  private onKey(event: KeyboardEvent): void {
    const change = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (change === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = this.names.at((this.names.indexOf(this.open) + change) % this.names.length) ?? this.open;
    this.choose(next);
    this.renderRoot.querySelector<HTMLElement>(`[id="${next}"]`)?.focus();
  }

  private choose(name: string): void {
    this.dispatchEvent(new CustomEvent<string>("open-tab", { detail: name }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-tabs": Tabs;
  }
}
