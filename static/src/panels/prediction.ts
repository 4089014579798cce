import { css, html, LitElement, type PropertyValues } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Question } from "../trace/types";
import { baseStyle } from "./base-style";
import type { QuestionCard } from "./question";
import "./question";

/**
 * Predict mode: asks what comes next before it is shown, on to the answer by choice or by passing; between two questions
 * it says how many are ahead and leads to the next one.
 */
@customElement("backplay-prediction")
export class Prediction extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; padding: var(--gap-4); }
      button { border-color: var(--wire); }
      /* The question, all choices and the way on stand in one view of the panel. */
      backplay-question { padding: var(--gap-4); --choice-room: 0.3rem var(--gap-3); }
      .way { position: sticky; bottom: 0; margin: var(--gap-2) calc(-1 * var(--gap-4)) calc(-1 * var(--gap-4)); padding: var(--gap-2) var(--gap-4); background: var(--surface); border-top: 1px solid var(--rule); }
      .way button { min-height: 2.4rem; min-width: 5rem; }
      .between { display: flex; align-items: center; justify-content: space-between; gap: var(--gap-3); padding: var(--gap-2) var(--gap-3); background: var(--sunken); border-left: 3px solid var(--leaf); font-size: var(--size-small); }
      .between button { flex: none; background: var(--surface); }
      @container (max-width: 800px) {
        /* Clear of the controls, which stay at the bottom of the window, unless the page keeps everything clear of them. */
        :host { scroll-margin-block: var(--gap-4) var(--above-controls, 7.5rem); }
        button { min-height: 2.95rem; }
      }
      @media print { :host { display: none; } }
    `,
  ];

  @property({ attribute: false }) question: Question | null = null;
  /** How many questions are still to come. */
  @property({ type: Number }) ahead = 0;
  @state() private answered = false;
  /** Whether a press on the way between two questions led to this one. */
  private led = false;
  @query("backplay-question") private card!: QuestionCard | null;

  /** Takes a choice by its number, from 0. */
  choose(index: number): void {
    this.card?.choose(index);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("question")) this.answered = false;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has("question") && this.question) void this.bringIntoView();
  }

  /** Where a window is too small for everything, the question is what it should show. */
  private async bringIntoView(): Promise<void> {
    await this.card?.updateComplete;
    this.scrollIntoView({ block: "nearest" });
    // The button that led here is gone.
    if (this.led) this.card?.focusChoice();
    this.led = false;
  }

  protected override render() {
    return this.question ? this.drawQuestion() : this.drawBetween();
  }

  private drawQuestion() {
    return html`
      <backplay-question heading="What comes next?" .question=${this.question} @answered=${() => {
        this.answered = true;
      }}></backplay-question>
      <div class="way"><button @click=${() => this.tell("go-on")}>${this.answered ? "Go on" : "Skip"}</button></div>`;
  }

  private drawBetween() {
    const { ahead } = this;
    const words = ahead > 0 ? `${ahead} more ${ahead > 1 ? "questions" : "question"} ahead.` : "No question is left.";
    return html`<div class="between"><p>${words}</p>
      <button @click=${() => this.tell("ask-next")}>${ahead > 0 ? "Next question" : "Ask again"}</button></div>`;
  }

  private tell(what: "go-on" | "ask-next"): void {
    this.led = what === "ask-next";
    this.dispatchEvent(new CustomEvent(what));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-prediction": Prediction;
  }
}
