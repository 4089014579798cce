import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { baseStyle } from "../panels/base-style";
import { icon } from "../panels/icons";

/** A button that runs a changed snippet in the page's player. The code is the text of a JSON script inside. */
@customElement("backplay-try")
export class TryButton extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: inline-block; }
      button { display: inline-flex; align-items: center; gap: 0.4em; border-color: var(--wire); font-size: var(--size-small); }
      @media (pointer: coarse) { button { min-height: 2.95rem; } }
    `,
  ];

  /** Tells several of them apart. */
  @property() number = "1";
  @state() private code: string | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    const text = this.querySelector('script[type="application/json"]')?.textContent;
    if (text) this.code = JSON.parse(text) as string;
  }

  protected override render() {
    const { code } = this;
    if (code === null) return nothing;
    return html`<button aria-label=${`Run this change, number ${this.number}`} @click=${() => this.dispatchEvent(new CustomEvent("try", { detail: code }))}>${icon("play")} Run this change</button>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-try": TryButton;
  }
}
