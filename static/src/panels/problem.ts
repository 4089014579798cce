import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { ServiceProblem } from "../trace/service";
import type { Trace } from "../trace/types";
import { baseStyle } from "./base-style";
import { prose } from "./prose";

/** Why a run ended early, on which line, and what to do, or that there is something to watch out for; or why there was no run. */
@customElement("backplay-problem")
export class ProblemPanel extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; }
      section { background: var(--error-field); border-left: 4px solid var(--error); padding: var(--gap-3) var(--gap-4); }
      .ahead { display: flex; align-items: center; justify-content: space-between; gap: var(--gap-3); padding: var(--gap-2) var(--gap-4); font-size: var(--size-small); }
      .ahead span { color: var(--error); }
      .ahead.warning { background: var(--now-field); border-color: var(--now); }
      .warning :is(span, button) { color: inherit; border-color: var(--now); }
      .ahead button { margin: 0; white-space: nowrap; }
      .title { font-weight: 600; display: flex; gap: var(--gap-2); align-items: baseline; }
      .title span { color: var(--error); }
      .message { font-family: var(--code); font-size: var(--size-small); white-space: pre-wrap; overflow-wrap: anywhere; margin-top: var(--gap-1); max-height: 11rem; overflow: auto; }
      .advice { font-family: var(--text); font-size: var(--size-reading); margin-top: var(--gap-2); text-wrap: pretty; }
      button { border-color: var(--error); font-size: var(--size-small); margin-top: var(--gap-2); }
    `,
  ];

  @property({ attribute: false }) trace: Trace | null = null;
  /** Whether the step shown is the one where the run ended. */
  @property({ type: Boolean }) here = false;
  /** Whether what there is to watch out for is told elsewhere, or would be in the way of a question. */
  @property({ type: Boolean }) told = false;
  @property({ attribute: false }) problem: ServiceProblem | null = null;
  /** Whether the code can be changed. */
  @property({ type: Boolean }) canEdit = true;

  /** How many things there are to watch out for. */
  private warnings = 0;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("trace")) this.warnings = new Set(this.trace?.steps.flatMap(({ warning }) => warning ?? [])).size;
  }

  protected override render() {
    if (this.problem) {
      // Nothing else says that there is no run.
      const { title, detail } = this.problem;
      return this.draw(title, "", detail, null);
    }
    if (!this.trace) return nothing;
    const { status, error, limit, message, advice, span } = this.trace.outcome;
    if (status === "ok") return this.here || this.told ? nothing : this.drawWarnings();
    if (!this.here)
      return this.drawAhead("", `This run ends with ${error ?? "a limit"}${span ? ` on line ${span.line}` : ""}.`);
    return this.draw(
      status === "limit" ? `Stopped at its limit${limit ? ` of ${limit}` : ""}` : (error ?? "Error"),
      message,
      advice,
      span?.line ?? null,
    );
  }

  /** Whoever comes for a gradient that is None should not have to play to the end to learn that its reason is told there. */
  private drawWarnings() {
    const { warnings } = this;
    if (warnings === 0) return nothing;
    return this.drawAhead(
      "warning",
      `${warnings === 1 ? "There is something" : `There are ${warnings} things`} to watch out for.`,
    );
  }

  /** Elsewhere in the run one line is enough: it is not what this step is about. */
  private drawAhead(look: string, words: string) {
    return html`<section class="ahead ${look}" role="group" aria-label="Problem"><p><span aria-hidden="true">${look ? "!" : "✕"}</span> ${words}</p>
      <button @click=${this.showEnd}>Show the end</button></section>`;
  }

  /** The button goes with the line it stands in; the keys should go on working. */
  private showEnd(): void {
    this.closest<HTMLElement>(".frame")?.focus({ preventScroll: true });
    this.dispatchEvent(new CustomEvent("seek-end"));
  }

  private draw(title: string, message: string, advice: string, line: number | null) {
    return html`<section role=${this.problem ? "alert" : "group"} aria-label="Problem">
      <h3 class="title"><span aria-hidden="true">✕</span> ${title}${line === null ? nothing : ` on line ${line}`}</h3>
      ${message ? html`<p class="message" tabindex="0">${message}</p>` : nothing}
      ${advice ? html`<p class="advice">${prose(advice)}</p>` : nothing}
      ${line === null || !this.canEdit ? nothing : html`<button @click=${() => this.dispatchEvent(new CustomEvent("edit-line", { detail: line }))}>Edit line ${line}</button>`}
    </section>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-problem": ProblemPanel;
  }
}
