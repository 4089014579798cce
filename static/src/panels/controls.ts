import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { TimeAction } from "../element/clock";
import { GRAINS, type Grain } from "../state/grains";
import { marksOf } from "../state/marks";
import type { Trace } from "../trace/types";
import { baseStyle } from "./base-style";
import { type IconName, icon } from "./icons";
import { spoken } from "./prose";
import { styled } from "./styled";

/** A chapter with a smaller share of the track than this is a stripe without words. */
const THIN = 0.04;

/** What a person can ask of the playback. */
export type Command = TimeAction | "keys";

/** Buttons, the scrubber with its chapters, and the grain of a step. */
@customElement("backplay-controls")
export class Controls extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: grid; grid-template-columns: auto minmax(0, 1fr) auto auto; align-items: center; gap: var(--gap-2) var(--gap-4); padding: var(--gap-2) var(--gap-4); background: var(--surface); border-top: 1px solid var(--rule); }
      .buttons, .settings { display: flex; align-items: center; gap: 2px; }
      .buttons button, .square { width: 2.6rem; height: 2.6rem; padding: 0; display: grid; place-items: center; }
      .buttons .play { background: var(--ink); color: var(--surface); border-radius: 50%; margin: 0 var(--gap-1); }
      .buttons .play:hover { background: var(--ink-soft); }
      .time { min-width: 0; display: grid; gap: 2px; }
      .chapters { position: relative; height: 1.15rem; margin: 0 9px; }
      .chapter { position: absolute; top: 0; bottom: 0; padding: 0 0.3rem; border: 0; border-radius: 0; border-bottom: 3px solid var(--wire); font-size: 0.6875rem; line-height: 1rem; text-align: left; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; color: var(--ink-soft); }
      .chapter.thin { padding: 0; }
      .chapter.backward { border-color: var(--gradient); color: var(--gradient); font-weight: 600; }
      .chapter.optimizer { border-color: var(--sum); color: var(--sum); font-weight: 600; }
      .mark { position: absolute; top: -2px; width: 8px; height: 8px; margin-left: -4px; border-radius: 50%; background: var(--ink-soft); }
      .mark.turn { top: auto; bottom: -3px; width: 1.5px; height: 9px; margin-left: 0; border-radius: 0; background: var(--ink); }
      .mark.error { background: var(--error); border-radius: 0; transform: rotate(45deg); }
      .mark.warning { background: var(--now); border-radius: 0; }
      .mark.bookmark { background: var(--leaf); border-radius: 0; transform: rotate(45deg); }
      input[type="range"] { width: 100%; height: 1.5rem; margin: 0; accent-color: var(--ink); cursor: pointer; }
      .count { font-variant-numeric: tabular-nums; font-size: var(--size-small); color: var(--ink-soft); white-space: nowrap; min-width: 4.2rem; text-align: right; }
      fieldset { border: 1px solid var(--wire); border-radius: var(--round); padding: 0; margin: 0; display: flex; }
      fieldset label { position: relative; padding: 0.35rem 0.7rem; font-size: var(--size-small); cursor: pointer; color: var(--ink-soft); border-radius: 0.4rem; }
      fieldset label:has(:checked) { background: var(--ink); color: var(--surface); }
      fieldset label:has(:focus-visible) { outline: 2.5px solid var(--leaf); outline-offset: 2px; }
      fieldset input { position: absolute; opacity: 0; inset: 0; margin: 0; cursor: pointer; }
      legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      .predict { font-size: var(--size-small); height: 2.2rem; margin-left: var(--gap-2); border-color: var(--wire); }
      .predict[aria-pressed="true"] { background: var(--ink); color: var(--surface); border-color: var(--ink); }
      .speed { font-size: var(--size-small); font-variant-numeric: tabular-nums; min-width: 3rem; height: 2.6rem; }
      @container (max-width: 860px) {
        :host { display: flex; flex-wrap: wrap; padding: var(--gap-1) var(--gap-3) var(--gap-2); row-gap: 0; }
        .time { flex: 1 1 60%; order: -2; }
        .count { order: -1; align-self: end; padding-bottom: 0.2rem; min-width: 0; }
        .settings { margin-left: auto; }
      }
      @container (max-width: 560px) {
        :host { padding: 0 var(--gap-2) var(--gap-1); column-gap: 0; }
        .edge, .square { display: none !important; }
        .buttons { gap: 0; }
        .buttons button { width: 2.2rem; }
        .settings { gap: 0; }
        fieldset label { padding: 0.35rem 0.3rem; font-size: 0.6875rem; }
        .predict { padding: 0 0.3rem; font-size: 0.6875rem; margin-left: 2px; border-color: transparent; }
        .speed { min-width: 1.8rem; padding: 0; font-size: 0.6875rem; }
      }
      @media print { :host { display: none; } }
    `,
  ];

  @property({ attribute: false }) trace: Trace | null = null;
  @property({ type: Number }) step = 0;
  @property({ type: Boolean }) playing = false;
  @property({ type: Number }) speed = 1;
  @property({ type: Boolean }) predicting = false;
  @property() grain: Grain = "message";

  /** Chapters and marks: they change with the trace only, so they are drawn once for it. */
  private track: unknown = nothing;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("trace")) this.track = this.trace ? this.drawTrack(this.trace) : nothing;
  }

  private drawTrack(trace: Trace) {
    const last = Math.max(1, trace.steps.length - 1);
    const share = (step: number): string => `${(100 * step) / last}%`;
    return html`<div class="chapters">
      ${trace.chapters.map((chapter) => {
        const length = Math.min(last, chapter.last + 1) - chapter.first;
        const place = styled({
          left: share(chapter.first),
          width: `calc(${share(length)} - ${length / last < THIN ? 0 : 2}px)`,
        });
        if (length / last < THIN)
          return html`<span class="chapter thin ${chapter.kind}" ${place} title=${chapter.title}></span>`;
        return html`<button class="chapter ${chapter.kind}" tabindex="-1" ${place} title=${chapter.title} @click=${() => this.seek(chapter.first)}>${chapter.kind === "backward" ? "∂ " : ""}${chapter.title}</button>`;
      })}
      ${marksOf(trace).map((mark) => html`<span class="mark ${mark.kind}" ${styled({ left: share(mark.step) })} title=${mark.title}></span>`)}
    </div>`;
  }

  protected override render() {
    const count = this.trace?.steps.length ?? 0;
    const last = Math.max(0, count - 1);
    return html`
      <div class="buttons" role="group" aria-label="Playback">
        ${this.button("first", "first", "First step", "edge")}
        ${this.button("back", "back", "Step back")}
        ${this.button("toggle", this.playing ? "pause" : "play", this.playing ? "Pause" : "Play", "play")}
        ${this.button("next", "next", "Step forward")}
        ${this.button("last", "last", "Last step", "edge")}
      </div>
      <div class="time">
        ${this.track}
        <input type="range" min="0" max=${last} .value=${String(this.step)} step="1" ?disabled=${count === 0} aria-label="Step"
          aria-valuetext=${`Step ${this.step + 1} of ${count}: ${spoken(this.trace?.steps[this.step]?.text ?? "")}`}
          @input=${(event: Event) => this.seek(Number((event.target as HTMLInputElement).value))}>
      </div>
      <span class="count" aria-hidden="true">${count === 0 ? "–" : `${this.step + 1} / ${count}`}</span>
      <div class="settings">
        <fieldset><legend>One step is a</legend>
          ${GRAINS.map((grain) => html`<label><input type="radio" name="grain" value=${grain} .checked=${grain === this.grain} @change=${() => this.dispatchEvent(new CustomEvent("grain", { detail: grain }))}>${grain[0]?.toUpperCase()}${grain.slice(1)}</label>`)}
        </fieldset>
        <button class="predict" aria-pressed=${this.predicting} ?disabled=${(this.trace?.questions.length ?? 0) === 0} @click=${() => this.send("predict")}>Predict</button>
        <button class="speed" aria-label=${`Speed ${this.speed} times; change`} @click=${() => this.send(this.speed >= 4 ? "slower" : "faster")}>${this.speed}×</button>
        <button class="square" aria-label="Keys and help" @click=${() => this.send("keys")}>?</button>
      </div>
    `;
  }

  private button(command: Command, picture: IconName, label: string, look = "") {
    return html`<button class=${look} aria-label=${label} title=${label} ?disabled=${!this.trace} @click=${() => this.send(command)}>${icon(picture)}</button>`;
  }

  private send(command: Command): void {
    this.dispatchEvent(new CustomEvent<Command>("command", { detail: command }));
  }

  private seek(step: number): void {
    this.dispatchEvent(new CustomEvent<number>("seek", { detail: step }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-controls": Controls;
  }
}
