import { css, html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { baseStyle } from "./base-style";
import { icon } from "./icons";

/** What can be taken along as a file. */
export type Taken = "svg" | "png" | "trace";

/** What the dialog hands out as text. */
const TEXTS = {
  link: { name: "Link to this step", copy: "Copy link", told: "Copied: a link to this code at this step." },
  frame: { name: "Code to embed it in a page", copy: "Copy code", told: "Copied: paste it into a page's HTML." },
} as const;

/** How a run is passed on: a link to its step, a frame for another page, a picture of its graph, its trace. */
@customElement("backplay-share")
export class Share extends LitElement {
  static override styles = [
    baseStyle,
    css`
      dialog { width: min(40rem, 94vw); }
      section { padding: var(--gap-3) 0; border-top: 1px solid var(--rule); }
      label { display: block; margin-bottom: var(--gap-1); }
      .row { display: flex; gap: var(--gap-2); align-items: start; }
      textarea { flex: 1; min-width: 0; min-height: 2.95rem; font: var(--size-small)/1.5 var(--code); color: var(--ink); background: var(--sunken); border: 1px solid var(--rule); border-radius: var(--round); padding: calc((2.95rem - 1.5em) / 2 - 1px) 0.6rem; resize: none; overflow: hidden; white-space: nowrap; }
      textarea:not([rows="1"]) { white-space: pre-wrap; overflow: auto; overflow-wrap: anywhere; }
      .row button { flex: none; min-width: 7rem; min-height: 2.95rem; border-color: var(--wire); }
      .files { flex-wrap: wrap; }
      .files p { flex: 1 1 14rem; align-self: center; color: var(--ink-soft); font-size: var(--size-small); }
      .told { min-height: 1.45em; margin-top: var(--gap-2); font-size: var(--size-small); color: var(--sum); font-weight: 600; }
      @container (max-width: 560px) { .row { flex-wrap: wrap; } .row button { flex: 1; } textarea { flex: 1 0 100%; } }
    `,
  ];

  @property() link = "";
  @property() frame = "";
  /** Whether there is a graph to take a picture of, and a trace. */
  @property({ type: Boolean }) played = false;
  @state() private told = "";
  @query("dialog") private dialog!: HTMLDialogElement;

  show(): void {
    this.told = "";
    this.dialog.showModal();
  }

  protected override render() {
    return html`<dialog tabindex="-1" aria-labelledby="title" @click=${(event: Event) => event.target === this.dialog && this.dialog.close()}>
      <header><h2 id="title">Share</h2><button aria-label="Close" @click=${() => this.dialog.close()}>${icon("cross")}</button></header>
      ${this.drawText("link", this.link, 1)}
      ${this.drawText("frame", this.frame, 6)}
      ${
        this.played
          ? html`<section><h3 class="heading">Files</h3><div class="row files"><p>The graph as it is at this step, and the whole run for programs and for <code>&lt;backplay-player src&gt;</code>.</p>
        ${this.drawFile("svg", "Picture, SVG")}${this.drawFile("png", "Picture, PNG")}${this.drawFile("trace", "Trace, JSON")}</div></section>`
          : nothing
      }
      <p class="told" role="status">${this.told}</p>
    </dialog>`;
  }

  private drawText(what: keyof typeof TEXTS, text: string, rows: number) {
    const { name, copy } = TEXTS[what];
    return html`<section><label class="heading" for=${what}>${name}</label>
      <div class="row"><textarea id=${what} readonly spellcheck="false" rows=${rows} .value=${text} @focus=${(event: Event) => (event.target as HTMLTextAreaElement).select()}></textarea>
      <button @click=${() => this.copy(what, text)}>${copy}</button></div></section>`;
  }

  private drawFile(what: Taken, name: string) {
    return html`<button @click=${() => this.dispatchEvent(new CustomEvent<Taken>("take", { detail: what }))}>${name}</button>`;
  }

  private async copy(what: keyof typeof TEXTS, text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.told = TEXTS[what].told;
    } catch (error) {
      // Without the clipboard (an insecure page, a refusal) the text is there to be copied by hand.
      if (!(error instanceof DOMException || error instanceof TypeError)) throw error;
      this.renderRoot.querySelector<HTMLTextAreaElement>(`#${what}`)?.focus();
      this.told = "Marked: copy it with your keyboard.";
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-share": Share;
  }
}
