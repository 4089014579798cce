import { css, html, LitElement } from "lit";
import { customElement, state } from "lit/decorators.js";
import { loadChoice, saveChoice } from "../state/choice";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const LOOKS: Readonly<Record<Theme, readonly [string, string]>> = {
  system: ["◐", "Auto"],
  light: ["○", "Light"],
  dark: ["●", "Dark"],
};

const KEY = "theme";

/** Lets a person choose light or dark over what their system says, and remembers it. */
@customElement("backplay-theme")
export class ThemeSwitch extends LitElement {
  static override styles = css`
    button { font: inherit; font-size: var(--size-small); color: var(--ink); background: none; border: 1px solid var(--rule); border-radius: var(--round); padding: 0.3rem 0.6rem; cursor: pointer; line-height: 1.5; white-space: nowrap; }
    @media (pointer: coarse) { button { min-width: 2.95rem; min-height: 2.95rem; border-color: transparent; } }
    @media (max-width: 40rem) { .word { display: none; } }
    button:hover { background: var(--sunken); }
    button:focus-visible { outline: 2.5px solid var(--leaf); outline-offset: 2px; }
  `;

  @state() private theme: Theme = THEMES.find((each) => each === loadChoice(KEY)) ?? "system";

  override connectedCallback(): void {
    super.connectedCallback();
    this.apply();
  }

  protected override render() {
    const [glyph, word] = LOOKS[this.theme];
    return html`<button @click=${this.next} aria-label=${`${word} theme; change`}><span aria-hidden="true">${glyph}</span><span class="word"> ${word}</span></button>`;
  }

  private next(): void {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length] ?? "system";
    saveChoice(KEY, this.theme === "system" ? null : this.theme);
    this.apply();
  }

  private apply(): void {
    if (this.theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.theme;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-theme": ThemeSwitch;
  }
}
