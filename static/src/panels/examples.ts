import { css, html, LitElement } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import { baseStyle } from "./base-style";
import { icon } from "./icons";

/** A program that a page offers. */
export interface Example {
  readonly title: string;
  readonly shows: string;
  readonly snippet: string;
}

export interface Topic {
  readonly title: string;
  readonly examples: readonly Example[];
}

/** The gallery: every example by topic, in a dialog. */
@customElement("backplay-examples")
export class Examples extends LitElement {
  static override styles = [
    baseStyle,
    css`
      dialog { width: min(66rem, 94vw); }
      section { padding: var(--gap-3) 0; border-top: 1px solid var(--rule); }
      ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr)); gap: 0 var(--gap-5); margin: var(--gap-1) calc(-1 * var(--gap-3)) 0; }
      li button { width: 100%; height: 100%; text-align: left; padding: var(--gap-2) var(--gap-3); display: grid; align-content: start; }
      strong { display: block; font-weight: 600; }
      span { color: var(--ink-soft); font-size: var(--size-small); }
    `,
  ];

  @property({ attribute: false }) topics: readonly Topic[] = [];
  @query("dialog") private dialog!: HTMLDialogElement;

  show(): void {
    this.dialog.showModal();
  }

  protected override render() {
    return html`<dialog tabindex="-1" aria-labelledby="title" @click=${(event: Event) => event.target === this.dialog && this.dialog.close()}>
      <header><h2 id="title">Examples</h2><button aria-label="Close" @click=${() => this.dialog.close()}>${icon("cross")}</button></header>
      ${this.topics.map(
        (topic) => html`<section><h3 class="heading">${topic.title}</h3>
          <ul>${topic.examples.map((example) => html`<li><button @click=${() => this.choose(example)}><strong>${example.title}</strong><span>${example.shows}</span></button></li>`)}</ul></section>`,
      )}
    </dialog>`;
  }

  private choose(example: Example): void {
    this.dialog.close();
    this.dispatchEvent(new CustomEvent<Example>("choose-example", { detail: example }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-examples": Examples;
  }
}
