import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { guard } from "lit/directives/guard.js";
import { styled } from "../drawing/styled";
import type { Command } from "../state/commands";
import { GRAINS, type Grain } from "../state/grains";
import { type Mark, marksOf } from "../state/marks";
import type { Chapter, Trace } from "../trace/types";
import { baseStyle } from "./base-style";
import { type IconName, icon } from "./icons";
import { spoken } from "./prose";

/** A chapter with a smaller share of the track than this is a stripe without words. */
const THIN = 0.04;
/** Chapters beside the one that is played which its name may reach over. */
const REACH = 4;

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
      .time { position: relative; min-width: 0; height: 2.6rem; --bar: 1.55rem; }
      /* What changes at every step lies apart from hundreds of chapters and marks, which would be placed and painted with it. */
      .chapters, .moment, .marks { position: absolute; inset: 0 8px; contain: size layout; }
      .moment, .marks { pointer-events: none; }
      .marks { z-index: 1; }
      .chapter { position: absolute; top: 0; height: calc(var(--bar) + 5px); padding: 0; border: 0; border-radius: 0; border-bottom: 5px solid var(--wire); font-size: 0.75rem; line-height: 1rem; text-align: left; color: var(--ink-soft); container-type: inline-size; }
      .chapter:hover { background: none; color: var(--ink); }
      /* It ends where the name before it, if it lies over this one, begins to fade. */
      .chapter span { position: absolute; inset: 0 1.25rem auto 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
      @container (max-width: 6rem) { .chapter span { visibility: hidden; } }
      .chapter.backward { border-color: var(--gradient); color: var(--gradient); font-weight: 600; }
      .chapter.optimizer { border-color: var(--sum); color: var(--sum); font-weight: 600; }
      .here { box-sizing: border-box; position: absolute; top: 0; font-size: 0.75rem; line-height: 1rem; font-weight: 600; white-space: nowrap; background: var(--surface); color: var(--ink); }
      .here.early { padding-right: 1.25rem; background: linear-gradient(to left, transparent, var(--surface) 1rem); }
      .here.late { padding-left: 1.25rem; text-align: right; background: linear-gradient(to right, transparent, var(--surface) 1rem); }
      .here.backward { color: var(--gradient); }
      .here.optimizer { color: var(--sum); }
      /* What is still to come is paler; the slider's own track is this bar. */
      .later { position: absolute; right: 0; top: var(--bar); height: 5px; background: color-mix(in oklab, var(--surface) 62%, transparent); }
      .mark { position: absolute; top: calc(var(--bar) + 9px); width: 5px; height: 5px; margin-left: -2.5px; border-radius: 50%; background: var(--ink-soft); pointer-events: auto; }
      .mark.turn { top: var(--bar); width: 2px; height: 5px; margin-left: -1px; border-radius: 0; background: var(--surface); }
      .mark.error { width: 8px; height: 8px; margin-left: -4px; background: var(--error); border-radius: 0; transform: rotate(45deg); }
      .mark.warning { width: 7px; height: 7px; background: var(--now); border-radius: 0; }
      .mark.bookmark { width: 7px; height: 7px; background: var(--leaf); border-radius: 0; transform: rotate(45deg); }
      input[type="range"] { appearance: none; position: absolute; left: 0; top: calc(var(--bar) + 2.5px - 0.75rem); width: 100%; height: 1.5rem; margin: 0; background: none; cursor: pointer; contain: size layout; }
      /* Inside of it: a ring around it would cross out the name above. */
      input:focus-visible { outline-offset: -4px; }
      .chapters:empty ~ input::-webkit-slider-runnable-track { height: 5px; background: var(--rule); }
      .chapters:empty ~ input::-moz-range-track { height: 5px; background: var(--rule); }
      input::-webkit-slider-thumb { appearance: none; width: 16px; height: 16px; border-radius: 50%; background: var(--ink); border: 3px solid var(--surface); box-shadow: 0 0 0 1px var(--ink); }
      .chapters:empty ~ input::-webkit-slider-thumb { margin-top: -5.5px; background: var(--wire); }
      input::-moz-range-thumb { box-sizing: border-box; width: 16px; height: 16px; border-radius: 50%; background: var(--ink); border: 3px solid var(--surface); box-shadow: 0 0 0 1px var(--ink); }
      @media (forced-colors: active) {
        input::-webkit-slider-thumb { background: ButtonText; border-color: Canvas; box-shadow: 0 0 0 1px ButtonText; forced-color-adjust: none; }
        .later, .mark { forced-color-adjust: none; }
        .later { background: color-mix(in oklab, Canvas 62%, transparent); }
        .mark { background: CanvasText; }
        .mark.turn { background: Canvas; }
        fieldset label:has(:checked), .predict[aria-pressed="true"] { background: Highlight; color: HighlightText; forced-color-adjust: none; }
      }
      .count { font-variant-numeric: tabular-nums; font-size: var(--size-small); color: var(--ink-soft); white-space: nowrap; min-width: 4.2rem; height: 1.45em; text-align: right; contain: size layout; }
      fieldset { border: 1px solid var(--rule); background: var(--sunken); border-radius: var(--round); padding: 0; margin: 0; display: flex; }
      fieldset label { position: relative; padding: 0.4rem 0.7rem; font-size: var(--size-small); cursor: pointer; color: var(--ink-soft); border-radius: 0.4rem; }
      fieldset label:has(:checked) { background: var(--ink); color: var(--surface); }
      fieldset label:has(:focus-visible) { outline: 2.5px solid var(--leaf); outline-offset: 2px; }
      fieldset input { position: absolute; opacity: 0; inset: 0; margin: 0; cursor: pointer; }
      legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
      .predict { font-size: var(--size-small); height: 2.2rem; margin-left: var(--gap-2); border-color: var(--rule); }
      .predict[aria-pressed="true"] { background: var(--ink); color: var(--surface); border-color: var(--ink); }
      .grain { display: none; }
      .speed { font-size: var(--size-small); font-variant-numeric: tabular-nums; min-width: 3rem; height: 2.6rem; }
      @container (max-width: 860px) {
        :host { grid-template-columns: auto minmax(0, 1fr) auto; padding: var(--gap-1) var(--gap-3) var(--gap-2); gap: 0 var(--gap-2); }
        .time { grid-area: 1 / 1 / 2 / 3; }
        .count { grid-area: 1 / 3; align-self: end; padding-bottom: 0.5rem; min-width: 0; }
        .buttons { grid-area: 2 / 1; }
        .settings { grid-area: 2 / 2 / 3 / 4; justify-self: end; }
      }
      @container (max-width: 560px) {
        :host { padding: 0 var(--gap-2) var(--gap-1); }
        .edge, .square { display: none !important; }
        .buttons { gap: 0; }
        .buttons button { width: 2.95rem; height: 2.95rem; }
        .settings { gap: 0; }
        /* The three grains have no room side by side: one button goes through them. */
        fieldset { display: none; }
        .grain { display: block; }
        .grain, .predict, .speed { padding: 0 0.5rem; font-size: var(--size-small); height: 2.95rem; min-width: 2.95rem; margin: 0; border-color: transparent; }
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

  /** Chapters and turns. They change with the trace only, as the marks above the slider do, so they are drawn once for it. */
  private drawTrack(trace: Trace) {
    const last = lastOf(trace);
    const share = shareOf(trace);
    return html`${trace.chapters.map((chapter) => {
      const length = Math.min(last, chapter.last + 1) - chapter.first;
      const place = styled({
        left: share(chapter.first),
        width: `calc(${share(length)} - ${length / last < THIN ? 0 : 2}px)`,
      });
      if (length / last < THIN)
        return html`<span class="chapter thin ${chapter.kind}" ${place} title=${chapter.title}></span>`;
      return html`<button class="chapter ${chapter.kind}" tabindex="-1" ${place} title=${chapter.title} @click=${() => this.seek(chapter.first)}><span>${nameOf(chapter)}</span></button>`;
    })}
      ${drawMarks(trace, ({ kind }) => kind === "turn")}`;
  }

  /** What of the track is still to come, and the name of the chapter that is played, whatever room it has. */
  private drawHere(trace: Trace, last: number) {
    const share = (step: number): number => (100 * step) / Math.max(1, last);
    const later = html`<span class="later" ${styled({ left: `${share(this.step)}%` })}></span>`;
    const place = trace.chapters.findLastIndex(({ first, last }) => first <= this.step && this.step <= last);
    const chapter = trace.chapters[place];
    if (!chapter) return later;
    const ends = (of: Chapter): [number, number] => [share(of.first), share(Math.min(last, of.last + 1))];
    const [start, end] = ends(chapter);
    const late = start > 60;
    const name = nameOf(chapter);
    // It covers whole what it reaches of chapters, its own to begin with: of their labels only a part would be left to read.
    const reached = trace.chapters.slice(late ? Math.max(0, place - REACH) : place, place + (late ? 1 : REACH + 1));
    const widths = reached.map((other) => {
      const [from, to] = ends(other);
      const [near, far] = late ? [end - to, end - from] : [from - start, to - start];
      return `clamp(0px, (${name.length}ch + 1.25rem - ${near}%) * 999, ${far}% + ${late ? 1.25 : 0}rem)`;
    });
    const side = late ? { left: "auto", right: `${100 - end}%` } : { left: `${start}%`, right: "auto" };
    return html`${later}
      <span class="here ${late ? "late" : "early"} ${chapter.kind}" aria-hidden="true" ${styled({ ...side, "min-width": `max(${widths})` })}>${name}</span>`;
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
        <div class="chapters">${guard([this.trace], () => this.trace && this.drawTrack(this.trace))}</div>
        <div class="moment">${this.trace && count ? this.drawHere(this.trace, last) : nothing}</div>
        <input type="range" min="0" max=${last} .value=${String(this.step)} step="1" ?disabled=${count === 0} aria-label="Step"
          aria-valuetext=${`Step ${this.step + 1} of ${count}: ${spoken(this.trace?.steps[this.step]?.text ?? "")}`}
          @input=${(event: Event) => this.seek(Number((event.target as HTMLInputElement).value))}>
        <div class="marks">${guard([this.trace], () => this.trace && drawMarks(this.trace, ({ kind }) => kind !== "turn"))}</div>
      </div>
      <span class="count" aria-hidden="true" ${styled({ width: `${2 * String(count).length + 3}ch` })}>${count === 0 ? "–" : `${this.step + 1} / ${count}`}</span>
      <div class="settings">
        <fieldset><legend>One step is one</legend>
          ${GRAINS.map((grain) => html`<label><input type="radio" name="grain" value=${grain} .checked=${grain === this.grain} @change=${() => this.dispatchEvent(new CustomEvent("grain", { detail: grain }))}>${titled(grain)}</label>`)}
        </fieldset>
        <button class="grain" aria-label=${`One step is one ${this.grain}; change`} @click=${() => this.send("grain")}>${titled(this.grain)}</button>
        <button class="predict" aria-pressed=${this.predicting} ?disabled=${(this.trace?.questions.length ?? 0) === 0} @click=${() => this.send("predict")}>Predict</button>
        <button class="speed" aria-label=${`Speed ${this.speed} times; change`} @click=${() => this.send(this.speed >= 4 ? "slower" : "faster")}>${this.speed}×</button>
        <button class="square" aria-label="Keys and help" @click=${() => this.send("keys")}>?</button>
      </div>
    `;
  }

  private button(command: Command, picture: IconName, label: string, look = "") {
    return html`<button class=${look} aria-label=${label} title=${label} ?disabled=${!this.trace && command !== "toggle"} @click=${() => this.send(command)}>${icon(picture)}</button>`;
  }

  private send(command: Command): void {
    this.dispatchEvent(new CustomEvent<Command>("command", { detail: command }));
  }

  private seek(step: number): void {
    this.dispatchEvent(new CustomEvent<number>("seek", { detail: step }));
  }
}

const lastOf = ({ steps }: Trace): number => Math.max(1, steps.length - 1);

/** How far along the track a step is. */
const shareOf =
  (trace: Trace) =>
  (step: number): string =>
    `${(100 * step) / lastOf(trace)}%`;

function drawMarks(trace: Trace, wanted: (mark: Mark) => boolean) {
  const share = shareOf(trace);
  return marksOf(trace)
    .filter(wanted)
    .map(
      (mark) => html`<span class="mark ${mark.kind}" ${styled({ left: share(mark.step) })} title=${mark.title}></span>`,
    );
}

const titled = (grain: Grain): string => `${grain[0]?.toUpperCase()}${grain.slice(1)}`;

const nameOf = ({ kind, title }: Trace["chapters"][number]): string => `${kind === "backward" ? "∂ " : ""}${title}`;

declare global {
  interface HTMLElementTagNameMap {
    "backplay-controls": Controls;
  }
}
