import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { baseStyle } from "../panels/base-style";
import { loadProgress, NOTHING, score, told } from "../state/progress";

/** How far the person has come in one lesson of a list; nothing before they began. */
@customElement("backplay-progress")
export class LessonProgress extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; font-size: var(--size-small); color: var(--sum); font-weight: 600; white-space: nowrap; }
    `,
  ];

  @property() lesson = "";
  @property({ type: Number }) questions = 0;

  protected override render() {
    const progress = loadProgress(this.lesson);
    const words = told(progress, this.questions);
    const whole = progress.played && score(progress).right === this.questions;
    return words ? html`<span aria-hidden="true">${whole ? "✓" : "◔"}</span> <span>${words}</span>` : nothing;
  }
}

/** Gives the person their answers as a JSON file. The lessons' slugs are in the attribute `lessons`, space separated. */
@customElement("backplay-answers")
export class AnswersExport extends LitElement {
  static override styles = [
    baseStyle,
    css`
      p { display: flex; flex-wrap: wrap; align-items: center; gap: var(--gap-3); color: var(--ink-soft); font-size: var(--size-small); }
      button { border-color: var(--wire); color: var(--ink); font-size: var(--size-small); }
    `,
  ];

  @property() lessons = "";

  private get begun(): readonly (readonly [string, ReturnType<typeof loadProgress>])[] {
    const all = this.lessons.split(" ").map((lesson) => [lesson, loadProgress(lesson)] as const);
    return all.filter(([, progress]) => progress !== NOTHING);
  }

  protected override render() {
    const { begun } = this;
    if (begun.length === 0) return nothing;
    const scores = begun.map(([, progress]) => score(progress));
    const right = scores.reduce((sum, each) => sum + each.right, 0);
    const atOnce = scores.reduce((sum, each) => sum + each.atOnce, 0);
    const foreseen = scores.reduce((sum, each) => sum + each.foreseen, 0);
    return html`<p><span>${right} right ${right === 1 ? "answer" : "answers"}, ${atOnce} of them at the first try, ${foreseen} ${foreseen === 1 ? "step" : "steps"} foreseen. Kept in this browser only.</span>
      <button @click=${this.download}>Download my answers (JSON)</button></p>`;
  }

  private download(): void {
    const lessons = Object.fromEntries(
      this.begun.map(([lesson, progress]) => [lesson, { ...progress, ...score(progress) }]),
    );
    const text = `${JSON.stringify({ version: 1, lessons }, null, 2)}\n`;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = "backplay-answers.json";
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-progress": LessonProgress;
    "backplay-answers": AnswersExport;
  }
}
