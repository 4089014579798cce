import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { printed } from "../state/frame";
import type { History } from "../state/history";
import { baseStyle } from "./base-style";

/** More pieces of output than this are counted, not listed. */
const MOST_PIECES = 200;

/** What the snippet has printed so far; each piece leads to its step. */
@customElement("backplay-output")
export class Output extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; overflow: auto; background: var(--surface); padding: var(--gap-2) var(--gap-3); }
      pre { font-family: var(--code); font-size: var(--size-small); line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; margin-top: 0.2rem; }
      .piece { font: inherit; padding: 0; border-radius: 2px; text-align: left; white-space: pre-wrap; }
      /* A tensor's columns stand below each other. */
      .block { white-space: pre; }
      .stderr { color: var(--error); }
      .current { background: var(--now-field); }
      .empty { color: var(--ink-soft); font-size: var(--size-small); margin-top: 0.2rem; }
    `,
  ];

  @property({ attribute: false }) history: History | null = null;
  @property({ type: Number }) step = 0;

  /** How many pieces there were when it was last scrolled. */
  private seen = 0;

  /** As in a terminal, what was printed last is in sight; asked for only when something was, for it costs a layout. */
  protected override updated(): void {
    const pieces = this.history?.output.count(0, this.step) ?? 0;
    if (pieces !== this.seen) this.scrollTop = this.scrollHeight;
    this.seen = pieces;
  }

  protected override render() {
    if (!this.history) return html`<h3 class="heading">Output</h3><p class="empty">What the code prints.</p>`;
    const pieces = printed(this.history, this.step, MOST_PIECES);
    const earlier = this.history.output.count(0, this.step) - pieces.length;
    return html`<h3 class="heading">Output</h3>
      ${
        pieces.length === 0
          ? html`<p class="empty">Nothing printed yet.</p>`
          : html`${earlier > 0 ? html`<p class="empty">… ${earlier.toLocaleString("en")} pieces before these</p>` : nothing}<pre>${pieces.map((piece) => html`<button class="piece ${piece.stream} ${/\n./.test(piece.text) ? "block" : ""} ${piece.step === this.step ? "current" : ""}" @click=${() => this.dispatchEvent(new CustomEvent("seek", { detail: piece.step }))}>${piece.text.replace(/\n$/, "")}</button>${piece.text.endsWith("\n") ? "\n" : ""}`)}</pre>`
      }`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-output": Output;
  }
}
