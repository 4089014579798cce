import { css, html, LitElement } from "lit";
import { customElement, query } from "lit/decorators.js";
import { KEYS } from "../element/keys";
import { baseStyle } from "./base-style";
import { icon } from "./icons";

/** The sheet that `?` opens: every key, and what the shapes on the stage mean. */
@customElement("backplay-keys")
export class KeySheet extends LitElement {
  static override styles = [
    baseStyle,
    css`
      dialog { color: var(--ink); background: var(--surface); border: 1px solid var(--wire); border-radius: 0.75rem; padding: var(--gap-5); max-width: min(34rem, 92vw); max-height: 85vh; }
      dialog::backdrop { background: rgb(0 0 0 / 0.45); }
      header { display: flex; justify-content: space-between; align-items: center; margin-bottom: var(--gap-3); }
      h2 { font-size: var(--size-lead); }
      dl { display: grid; grid-template-columns: auto 1fr; gap: 0.35rem var(--gap-4); margin: 0; font-size: var(--size-body); }
      dd { margin: 0; }
      kbd { font-family: var(--code); font-size: var(--size-small); border: 1px solid var(--wire); border-radius: 4px; padding: 0.05rem 0.4rem; background: var(--sunken); white-space: nowrap; }
      header button { width: 2.4rem; height: 2.4rem; padding: 0; display: grid; place-items: center; }
    `,
  ];

  @query("dialog") private dialog!: HTMLDialogElement;

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  protected override render() {
    return html`<dialog aria-labelledby="title" @click=${(event: Event) => event.target === this.dialog && this.dialog.close()}>
      <header><h2 id="title">Keys</h2><button aria-label="Close" @click=${() => this.dialog.close()}>${icon("cross")}</button></header>
      <dl>${KEYS.map(({ shown, does }) => html`<dt><kbd>${shown}</kbd></dt><dd>${does}</dd>`)}<dt><kbd>Ctrl Enter</kbd></dt><dd>Run the code</dd></dl>
    </dialog>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-keys": KeySheet;
  }
}
