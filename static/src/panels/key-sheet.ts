import { css, html, LitElement } from "lit";
import { customElement, query } from "lit/decorators.js";
import { baseStyle } from "./base-style";
import { icon } from "./icons";
import { DOES, signOf } from "./key-words";
import { KEYS } from "./keys";

/** The sheet that `?` opens: every key, and what the shapes on the stage mean. */
@customElement("backplay-keys")
export class KeySheet extends LitElement {
  static override styles = [
    baseStyle,
    css`
      dialog { width: min(58rem, 94vw); }
      dl { columns: 24rem 2; column-gap: var(--gap-6); margin: 0; font-size: var(--size-body); }
      dl > div { display: grid; grid-template-columns: 6.5rem 1fr; gap: var(--gap-3); align-items: baseline; padding: 0.3rem 0; break-inside: avoid; }
      dd { margin: 0; }
      kbd { font-family: var(--code); font-size: var(--size-small); border: 1px solid var(--rule); border-bottom-width: 2px; border-radius: 5px; padding: 0.05rem 0.45rem; background: var(--sunken); white-space: nowrap; }
    `,
  ];

  @query("dialog") private dialog!: HTMLDialogElement;

  toggle(): void {
    if (this.dialog.open) this.dialog.close();
    else this.dialog.showModal();
  }

  protected override render() {
    return html`<dialog tabindex="-1" aria-labelledby="title" @click=${(event: Event) => event.target === this.dialog && this.dialog.close()}>
      <header><h2 id="title">Keys</h2><button aria-label="Close" @click=${() => this.dialog.close()}>${icon("cross")}</button></header>
      <dl>${KEYS.map((binding) => drawKey(signOf(binding), DOES[binding.action]))}${REST.map(([sign, does]) => drawKey(sign, does))}</dl>
    </dialog>`;
  }
}

/** Keys that are no command of the player alone. */
const REST = [
  ["1 … 9", "Answer the question that is asked"],
  ["Ctrl Enter", "Run the code"],
  ["Esc", "Leave the editor, or close what is open"],
] as const;

const drawKey = (sign: string, does: string) => html`<div><dt><kbd>${sign}</kbd></dt><dd>${does}</dd></div>`;

declare global {
  interface HTMLElementTagNameMap {
    "backplay-keys": KeySheet;
  }
}
