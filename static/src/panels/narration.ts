import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { lineStart } from "../state/grains";
import { touches } from "../state/pointer";
import type { Step, Trace } from "../trace/types";
import { baseStyle } from "./base-style";
import { drawFormula } from "./formula";
import type { Note } from "./notes";
import { prose } from "./prose";

/** At most this many earlier steps of the same line are listed. */
const MOST_EARLIER = 6;

/** What happens at this step and why, in the trace's own words, below what the same line did before. */
@customElement("backplay-narration")
export class Narration extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; overflow: auto; padding: var(--gap-4) var(--gap-5) var(--gap-5); background: var(--surface); }
      @container (max-width: 560px) { :host { padding: var(--gap-3) var(--gap-4) var(--gap-4); } }
      .place { display: flex; gap: var(--gap-2); align-items: baseline; margin-bottom: var(--gap-2); }
      .now { font-family: var(--text); font-size: var(--size-lead); line-height: 1.35; font-weight: 500; text-wrap: pretty; }
      .detail { font-family: var(--text); font-size: var(--size-reading); line-height: 1.5; margin-top: var(--gap-3); text-wrap: pretty; }
      code { overflow-wrap: anywhere; }
      .now code, .detail code { font-size: 0.86em; background: var(--sunken); padding: 0.05em 0.3em; border-radius: 4px; }
      math { display: block math; width: max-content; max-width: 100%; font-family: var(--text), math; font-size: 1.35rem; margin: var(--gap-4) 0 0; overflow: auto hidden; padding: 2px 0; }
      math mtable > mtr > mtd { text-align: left; }
      math .matrix { --edge: linear-gradient(currentColor, currentColor); border-inline: 1.5px solid; padding: 0 0.15em; margin-inline: 0.15em; background: var(--edge) 0 0, var(--edge) 0 100%, var(--edge) 100% 0, var(--edge) 100% 100%; background-size: 0.25em 1.5px; background-repeat: no-repeat; }
      math .matrix > mtr > mtd { text-align: right; }
      mi { text-transform: none; font-family: var(--text); font-style: italic; }
      .warning, .note { margin-top: var(--gap-4); padding: var(--gap-2) var(--gap-3); border-left: 3px solid var(--now); background: var(--now-field); font-size: var(--size-body); }
      .warning button { display: block; margin-top: var(--gap-1); padding: 0.2rem 0.55rem; font-size: var(--size-caption); background: var(--surface); border-color: var(--rule); }
      .note { border-color: var(--leaf); background: var(--sunken); }
      .earlier { margin-top: var(--gap-5); border-top: 1px solid var(--rule); padding-top: var(--gap-3); }
      .earlier ol { margin-top: var(--gap-1); }
      .earlier button { text-align: left; width: 100%; padding: 0.25rem 0.4rem; margin-left: -0.4rem; font-size: var(--size-small); color: var(--ink-soft); border-radius: 4px; }
      .earlier button > span { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
      @media (pointer: coarse) { button { min-height: 2.95rem; } }
      .earlier button:hover { color: var(--ink); }
    `,
  ];

  @property({ attribute: false }) trace: Trace | null = null;
  @property({ type: Number }) step = 0;
  @property({ attribute: false }) notes: readonly Note[] = [];

  protected override render() {
    const event = this.trace?.steps[this.step];
    if (!this.trace || !event) return html`<p class="now">Press Run to play this snippet.</p>`;
    // How a run went wrong is the problem panel's to say, once.
    if (event.kind === "ended" && event.status !== "ok") return this.drawEarlier(this.trace);
    const note = this.noteFor(event);
    return html`
      <p class="place heading">${placeOf(this.trace, event)}</p>
      <p class="now">${prose(event.text)}</p>
      ${event.kind === "ended" ? this.drawWarnings(this.trace) : nothing}
      ${drawFormula(event.formula)}
      ${event.detail.map((sentence) => html`<p class="detail">${prose(sentence)}</p>`)}
      ${event.warning === null ? nothing : html`<p class="warning"><strong>Watch out.</strong> ${prose(event.warning)}</p>`}
      ${note ? html`<p class="note">${prose(note.text)}</p>` : nothing}
      ${event.kind === "ended" ? drawFolded(this.trace.folded) : nothing}
      ${this.drawEarlier(this.trace)}
    `;
  }

  /** What there was to watch out for on the way, each once; before all else, for it is what one came for. */
  private drawWarnings({ steps }: Trace) {
    const first = new Map<string, number>();
    for (const [step, { warning }] of steps.entries()) if (warning && !first.has(warning)) first.set(warning, step);
    return [...first].map(
      ([warning, step]) => html`<p class="warning"><strong>Watch out.</strong> ${prose(warning)}
        <button @click=${() => this.seek(step)}>Show the step</button></p>`,
    );
  }

  private seek(step: number): void {
    this.dispatchEvent(new CustomEvent("seek", { detail: step }));
  }

  private drawEarlier(trace: Trace) {
    const start = lineStart(trace, this.step, MOST_EARLIER);
    const earlier = trace.steps
      .slice(start, this.step)
      .map((step, i) => ({ text: step.text, index: start + i }))
      .filter(({ text }) => text);
    if (earlier.length === 0) return nothing;
    return html`<section class="earlier"><h3 class="heading">Before that, on the same line</h3>
      <ol>${earlier.map(({ text, index }) => html`<li><button @click=${() => this.seek(index)}><span>${prose(text)}</span></button></li>`)}</ol>
    </section>`;
  }

  /** A note of the lesson is shown when the line that holds its source text is reached. */
  private noteFor(event: Step): Note | undefined {
    const code = this.trace?.code ?? "";
    const { kind, span } = event;
    if (kind !== "line" || !span) return undefined;
    return this.notes.find((note) => touches(code, span, note.on, note.occurrence));
  }
}

/** A run longer than the player keeps is said to be so; how much longer, the step before the last one tells. */
function drawFolded(steps: number) {
  return steps > 0 ? html`<p class="note">Not every step is shown: the run went on.</p>` : nothing;
}

function placeOf(trace: Trace, event: Step): string {
  const scope = trace.scopes[event.scope];
  // A line event names its line itself.
  const line = event.kind === "line" ? "About to run" : event.span ? `Line ${event.span.line}` : "";
  return [line, scope && scope.kind !== "program" ? scope.title : ""].filter(Boolean).join(" · ");
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-narration": Narration;
  }
}
