import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Pointer } from "../state/pointer";
import type { Choice } from "../trace/types";
import { baseStyle } from "./base-style";
import { prose } from "./prose";

/** What a card asks: from a lesson's page, or generated from a trace. */
export interface Asked {
  readonly prompt: string;
  readonly choices: readonly (Pick<Choice, "text" | "right" | "why"> & { readonly step?: number | Pointer | null })[];
}

/** What an `answered` or `hinted` event tells: the question, and the choice that was made or ruled out. */
export interface Told {
  readonly prompt: string;
  readonly text: string;
  readonly right: boolean;
}

/**
 * A question with its choices. Choosing tells why; a wrong choice may be followed by another. A hint rules out one wrong
 * choice and tells why, as long as another is left to be tempted by.
 *
 * On a page it reads its question from a JSON script inside it; in the player it is given one.
 */
@customElement("backplay-question")
export class QuestionCard extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; background: var(--surface); border: 1px solid var(--rule); border-radius: 0.75rem; padding: var(--gap-5); }
      .prompt { font-family: var(--text); font-size: var(--size-lead); line-height: 1.35; font-weight: 500; margin: var(--gap-1) 0 var(--gap-4); text-wrap: pretty; }
      ol { display: grid; gap: var(--gap-2); }
      li { border: 1px solid var(--wire); border-radius: var(--round); transition: border-color var(--quick); }
      li.right { border-color: var(--sum); box-shadow: inset 0 0 0 1px var(--sum); }
      li.wrong { border-color: var(--error); border-style: dashed; }
      .choice { display: grid; grid-template-columns: 1.6rem 1fr; gap: var(--gap-2); width: 100%; min-height: 2.95rem; align-items: center; padding: var(--choice-room, var(--gap-3)); text-align: left; border: 0; }
      /* Below an answer stands why: the ground of a button would cut it off. */
      :is(.right, .wrong) .choice:hover { background: none; }
      .number { width: 1.5rem; height: 1.5rem; border: 1px solid var(--wire); border-radius: 50%; display: grid; place-items: center; font-size: var(--size-caption); font-weight: 600; color: var(--ink-soft); }
      .right .number { background: var(--sum); border-color: var(--sum); color: var(--on-accent); }
      .wrong .number { border-color: var(--error); color: var(--error); }
      .verdict { font-weight: 600; }
      .right .verdict { color: var(--sum); }
      .wrong .verdict { color: var(--error); }
      .why { font-size: var(--size-small); line-height: 1.5; padding: 0 var(--gap-3) var(--gap-3) calc(var(--gap-3) + 1.6rem + var(--gap-2)); }
      .hint { margin-top: var(--gap-3); border-color: var(--wire); font-size: var(--size-small); }
      @media (pointer: coarse) { .hint, .show { min-height: 2.95rem; } }
      @media print { .hint, .show { display: none; } }
      .show { display: block; margin-top: 0.4rem; border-color: var(--wire); font-size: var(--size-small); }
    `,
  ];

  @property({ attribute: false }) question: Asked | null = null;
  @property() heading = "Quick check";
  @state() private chosen: ReadonlySet<number> = new Set();
  @state() private ruledOut: ReadonlySet<number> = new Set();
  @state() private selected: number | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    const text = this.querySelector('script[type="application/json"]')?.textContent;
    if (!this.question && text) this.question = JSON.parse(text) as Asked;
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has("question")) {
      this.chosen = new Set();
      this.ruledOut = new Set();
      this.selected = null;
    }
  }

  protected override render() {
    const { question } = this;
    if (!question) return nothing;
    return html`<section aria-labelledby="prompt" @keydown=${this.onKey}>
      <h3 class="heading">${this.heading}</h3>
      <p class="prompt" id="prompt">${prose(question.prompt)}</p>
      <ol>${question.choices.map((choice, i) => this.drawChoice(choice, i))}</ol>
      ${this.nextHint() === null ? nothing : html`<button class="hint" @click=${this.hint}>Hint: rule one out</button>`}
      <p class="hidden-text" role="status">${this.verdict()}</p>
    </section>`;
  }

  private drawChoice(choice: Asked["choices"][number], i: number) {
    const chosen = this.chosen.has(i);
    const told = chosen || this.ruledOut.has(i);
    const { step } = choice;
    return html`<li class=${told ? (choice.right ? "right" : "wrong") : ""}>
      <button class="choice" aria-pressed=${chosen} @click=${() => this.choose(i)}><span class="number" aria-hidden="true">${told ? (choice.right ? "✓" : "✕") : i + 1}</span><span>${prose(choice.text)}</span></button>
      ${
        told
          ? html`<p class="why"><span class="verdict">${chosen ? (choice.right ? "Right." : "Not so.") : "Ruled out."}</span> ${prose(choice.why)}
          ${typeof step === "number" || step ? html`<button class="show" @click=${() => this.dispatchEvent(new CustomEvent("seek", { detail: step, bubbles: true, composed: true }))}>Show the step</button>` : nothing}</p>`
          : nothing
      }
    </li>`;
  }

  /** 1 to 9 choose, so that a hand can stay where it is. */
  private onKey(event: KeyboardEvent): void {
    const index = Number(event.key) - 1;
    if (!Number.isInteger(index) || !this.question?.choices[index]) return;
    event.stopPropagation();
    this.choose(index);
  }

  /** Takes a choice, if there is one of that number (from 0). */
  choose(index: number): void {
    if (!this.question?.choices[index]) return;
    this.selected = index;
    this.chosen = new Set([...this.chosen, index]);
    this.tell("answered", index);
  }

  /** Shows what was chosen and ruled out on an earlier visit, by the choices' texts. */
  restore(chosen: readonly string[], ruledOut: readonly string[]): void {
    const indexes = (texts: readonly string[]): Set<number> =>
      new Set(this.question?.choices.flatMap(({ text }, i) => (texts.includes(text) ? [i] : [])));
    this.chosen = indexes(chosen);
    this.ruledOut = indexes(ruledOut);
  }

  /** The wrong choice that a hint would rule out; null once the question is answered or only one is left. */
  private nextHint(): number | null {
    const choices = this.question?.choices ?? [];
    const open = [...choices.keys()].filter((i) => !choices[i]?.right && !this.chosen.has(i) && !this.ruledOut.has(i));
    const answered = [...this.chosen].some((i) => choices[i]?.right);
    return answered || open.length < 2 ? null : (open[0] ?? null);
  }

  private hint(): void {
    const index = this.nextHint();
    if (index === null) return;
    this.selected = index;
    this.ruledOut = new Set([...this.ruledOut, index]);
    this.tell("hinted", index);
    // With the last hint its button goes.
    if (this.nextHint() === null) this.focusChoice();
  }

  /** Puts the keyboard on the first choice that is still open. */
  focusChoice(): void {
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>("li:not(.right, .wrong) .choice")?.focus({ preventScroll: true }),
    );
  }

  private tell(what: "answered" | "hinted", index: number): void {
    const { prompt = "", choices = [] } = this.question ?? {};
    const { text = "", right = false } = choices[index] ?? {};
    const detail: Told = { prompt, text, right };
    this.dispatchEvent(new CustomEvent(what, { detail, bubbles: true, composed: true }));
  }

  private verdict(): string {
    const choice = this.selected === null ? undefined : this.question?.choices[this.selected];
    const ruledOut = this.selected !== null && !this.chosen.has(this.selected);
    return choice
      ? `${ruledOut ? `Ruled out: ${choice.text.replaceAll("`", "")}.` : choice.right ? "Right." : "Not so."} ${choice.why.replaceAll("`", "")}`
      : "";
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-question": QuestionCard;
  }
}
