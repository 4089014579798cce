import { css, html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Question } from "../trace/types";
import { baseStyle } from "./base-style";
import type { QuestionCard } from "./question";
import "./question";

/** Asks what comes next before it is shown; on to the answer by choice or by passing. */
@customElement("backplay-prediction")
export class Prediction extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; padding: var(--gap-4); }
      .on { margin-top: var(--gap-3); border-color: var(--wire); }
    `,
  ];

  @property({ attribute: false }) question: Question | null = null;
  @state() private answered = false;
  @query("backplay-question") private card!: QuestionCard;

  /** Takes a choice by its number, from 0. */
  choose(index: number): void {
    this.card.choose(index);
  }

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has("question")) this.answered = false;
  }

  protected override render() {
    if (!this.question) return nothing;
    return html`
      <backplay-question heading="What comes next?" .question=${this.question} @answered=${() => {
        this.answered = true;
      }}></backplay-question>
      <button class="on" @click=${() => this.dispatchEvent(new CustomEvent("go-on"))}>${this.answered ? "Go on" : "Skip"}</button>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-prediction": Prediction;
  }
}
