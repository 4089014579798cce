import { css, html, LitElement, nothing, type PropertyValues } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { guard } from "lit/directives/guard.js";
import { cut } from "../drawing/words";
import { type Flag, flagsByLine } from "../state/flags";
import { timesReached } from "../state/frame";
import type { History } from "../state/history";
import { lastResults } from "../state/results";
import type { Span } from "../trace/types";
import { baseStyle } from "./base-style";
import { spoken } from "./prose";
import { cutTokens, type Token, tokenLines } from "./python-tokens";

/** Longest value beside a line; the inspector has all of it. */
const LONGEST = 26;

/** The snippet with what the current step lights up, how often each line ran, and what it last gave. */
@customElement("backplay-code")
export class CodePanel extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; overflow: hidden auto; background: var(--sunken); }
      ol { font-family: var(--code); font-size: var(--size-small); line-height: 1.7rem; padding: var(--gap-2) 0; }
      li { display: flex; align-items: stretch; position: relative; padding-right: var(--gap-2); cursor: pointer; }
      .gutter { position: relative; width: 3.1rem; padding: 0 0.7rem 0 0; border: 0; border-radius: 0; display: flex; justify-content: flex-end; color: var(--ink-soft); font-family: var(--code); flex: none; }
      .gutter::before { content: ""; position: absolute; left: 0.55rem; top: 0.55rem; width: 0.6rem; height: 0.6rem; border-radius: 50%; border: 1.5px solid transparent; }
      .gutter:hover::before { border-color: var(--error); }
      @media (forced-colors: active) {
        .gutter:not(:hover, [aria-pressed="true"])::before { display: none; }
        .gutter { border: 0; }
        li.current::after { background: Highlight; forced-color-adjust: none; }
        .lit { text-decoration: underline 2px Highlight; text-underline-offset: 4px; }
        .source { text-decoration: underline double; }
      }
      .gutter[aria-pressed="true"]::before { background: var(--error); border-color: var(--error); }
      /* A line that is longer than the panel goes on below, so that its number, and the columns that are lit, stay in sight. */
      .line { flex: 0 1 auto; min-width: 0; padding: 0 var(--gap-2) 0 2ch; text-indent: -2ch; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
      li.current .gutter { color: var(--ink); font-weight: 600; }
      li.current::after { content: ""; position: absolute; left: 0; top: 0; bottom: 0; width: 3px; background: var(--now); }
      .lit { background: var(--now-field); box-shadow: 0 2px 0 var(--now); border-radius: 2px 2px 0 0; }
      .source { background: color-mix(in oklab, var(--leaf) 14%, transparent); box-shadow: 0 2px 0 var(--leaf); }
      .guilty { background: var(--error-field); text-decoration: underline wavy var(--error); text-underline-offset: 4px; }
      .keyword, .constant { font-weight: 600; }
      .number { color: var(--leaf); }
      .string { color: var(--sum); }
      .comment { color: var(--ink-soft); font-style: italic; }
      /* It has what room its line leaves, if that is enough for anything, and never makes the panel scroll. */
      .result { color: var(--ink-soft); flex: 1; container-type: inline-size; }
      .result span { display: block; margin-left: var(--gap-4); white-space: pre; overflow: hidden; text-overflow: ellipsis; }
      @container (max-width: 5rem) { .result span { display: none; } }
      .times { flex: none; width: 1.9rem; padding-right: 0.45rem; text-align: right; white-space: nowrap; color: var(--ink-soft); font-size: 0.6875rem; }
      .flag { position: absolute; left: 2.5rem; width: 0.6rem; font-weight: 600; font-size: var(--size-caption); text-align: center; }
      .flag.error { color: var(--error); }
      .flag.warning { color: var(--now); }
    `,
  ];

  @property() code = "";
  @property({ attribute: false }) history: History | null = null;
  @property({ type: Number }) step = 0;
  @property({ attribute: false }) breakpoints: ReadonlySet<number> = new Set();
  /** Changes when the breakpoints do. */
  @property({ type: Number }) stopsVersion = 0;

  /** The columns that what the person looks at comes from. */
  @property({ attribute: false }) source: Span | null = null;

  private lines: Token[][] = [];
  /** By line. */
  private flags: ReadonlyMap<number, readonly Flag[]> = new Map();
  /** Of hundreds of lines one is on the way of Tab: where the keyboard is, led there by arrow keys, else (0) the current one. */
  @state() private entered = 0;
  /** The line that was last brought into view. */
  private inView = 0;

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("code")) this.lines = tokenLines(this.code.replace(/\n$/, ""));
    if (changed.has("history")) this.flags = this.history ? flagsByLine(this.history.trace) : new Map();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has("source") && this.source) this.bringIntoView(this.source.line);
    else if (changed.has("step") || changed.has("history")) this.bringIntoView(this.current?.line ?? 0);
  }

  /** The columns of the current step. */
  private get current(): Span | null {
    return this.history?.trace.steps[this.step]?.span ?? null;
  }

  /** By hand: `scrollIntoView` would scroll the page as well, away from what the person looks at. */
  private bringIntoView(number: number): void {
    // Asking where things are costs a layout of the page: not at every step of one line.
    if (number === this.inView) return;
    this.inView = number;
    const line = this.renderRoot.querySelector(`li[data-line="${number}"]`);
    if (!line) return;
    const { top, height } = this.getBoundingClientRect();
    const below = (each: Element): number => each.getBoundingClientRect().top - top;
    const beyond = below(line) + line.clientHeight - height;
    // Whichever way it is scrolled, a whole line stands at the top.
    let first = line;
    while (first.previousElementSibling && below(first.previousElementSibling) >= beyond)
      first = first.previousElementSibling;
    if (below(line) < 0) this.scrollTop += below(line);
    else if (beyond > 0) {
      const goal = this.scrollTop + below(first);
      const list = first.parentElement;
      // Below the last line there is room for that, which is another in another window.
      if (list)
        list.style.marginBottom = `${Math.max(0, goal + this.clientHeight - list.getBoundingClientRect().height)}px`;
      this.scrollTop = goal;
    }
  }

  protected override render() {
    const { history, step, current } = this;
    const atEnd = history !== null && step === history.trace.steps.length - 1;
    const guilty = atEnd ? history.trace.outcome.span : null;
    const entry = this.entered || (current?.line ?? 1);
    const results = history ? lastResults(history, step) : new Map<number, string>();
    return html`<ol aria-label="Source code" @click=${this.onClick} @keydown=${this.onKey} @focusin=${this.onFocus} @focusout=${this.onFocus} @mouseover=${this.onHover} @mouseleave=${this.onHover}>
      ${this.lines.map((tokens, i) => {
        const line = i + 1;
        const times = history ? timesReached(history, line, step) : 0;
        const result = results.get(line) ?? "";
        const stop = this.breakpoints.has(line);
        const spans = [current, guilty, this.source].map((span) => (covers(span, line) ? span : null));
        // A line that nothing has happened to is not drawn anew: there may be thousands.
        return guard(
          [tokens, times, result, stop, this.flags, line === entry, ...spans],
          () => html`<li class=${classes({ current: spans[0] !== null })} data-line=${line}>
          <button class="gutter" tabindex=${line === entry ? 0 : -1} aria-pressed=${stop} aria-label=${`Breakpoint on line ${line}`} @click=${() => this.send("toggle-breakpoint", line)}>${line}</button>${this.drawFlags(line)}
          <span class="times" title=${times > 0 ? `This line ran ${times === 1 ? "once" : `${times} times`}.` : nothing}>${times > 999 ? `${Math.floor(times / 1000)}k×` : times > 0 ? `${times}×` : ""}</span>
          <span class="line">${this.drawLine(tokens, line, spans)}</span>
          ${result ? html`<span class="result" title=${result}><span>${cut(result, LONGEST)}</span></span>` : nothing}
        </li>`,
        );
      })}
    </ol>`;
  }

  private drawFlags(line: number) {
    const flags = this.flags.get(line);
    if (!flags) return nothing;
    const kind = flags.some((flag) => flag.kind === "error") ? "error" : "warning";
    const words = spoken(flags.map((flag) => flag.message).join(" "));
    return html`<span class="flag ${kind}" role="img" aria-label=${`${kind === "error" ? "Error" : "Warning"}: ${words}`} title=${words}>${kind === "error" ? "✕" : "!"}</span>`;
  }

  private drawLine(tokens: readonly Token[], line: number, spans: readonly (Span | null)[]) {
    const [lit, wrong, source] = spans.map((each) => columnsOn(each, line));
    const cuts = [lit, wrong, source].flatMap((columns) => columns ?? []);
    return cutTokens(tokens, cuts).map(
      ({ kind, text, start, whole }) =>
        html`<span data-name=${kind === "name" ? whole : nothing} class=${classes({ [kind]: true, lit: within(lit, start), guilty: within(wrong, start), source: within(source, start) })}>${text}</span>`,
    );
  }

  private onClick(event: MouseEvent): void {
    const line = lineOf(event);
    if (line === null) return;
    // A double click edits, and so does any click while there is nothing to play.
    this.send(event.detail > 1 || !this.history ? "edit-line" : "go-line", line);
  }

  private onFocus(event: FocusEvent): void {
    const line = (event.target as Element).closest("li")?.dataset.line;
    this.entered = event.type === "focusin" ? Number(line) : 0;
  }

  private onKey(event: KeyboardEvent): void {
    const line = (event.target as Element).closest("li");
    const next = { ArrowDown: line?.nextElementSibling, ArrowUp: line?.previousElementSibling }[event.key];
    if (!next) return;
    event.preventDefault();
    next.querySelector<HTMLElement>(".gutter")?.focus();
  }

  private onHover(event: MouseEvent): void {
    const name = (event.target as Element).closest<HTMLElement>("[data-name]")?.dataset.name ?? "";
    this.dispatchEvent(new CustomEvent<string>("hover-name", { detail: event.type === "mouseleave" ? "" : name }));
  }

  private send(type: string, line: number): void {
    this.dispatchEvent(new CustomEvent<number>(type, { detail: line }));
  }
}

const classes = (held: Readonly<Record<string, boolean>>): string =>
  Object.keys(held)
    .filter((name) => held[name])
    .join(" ");

const covers = (span: Span | null, line: number): boolean =>
  span !== null && line >= span.line && line <= span.end_line;

function lineOf(event: MouseEvent): number | null {
  const target = event.target as Element;
  const line = Number(target.closest<HTMLElement>("li")?.dataset.line);
  return Number.isInteger(line) && !target.closest(".gutter") ? line : null;
}

const within = (columns: readonly [number, number] | null | undefined, start: number): boolean =>
  !!columns && start >= columns[0] && start < columns[1];

/** The part of a line that a span covers. */
function columnsOn(span: Span | null, line: number): [number, number] | null {
  if (!span || !covers(span, line)) return null;
  return [line === span.line ? span.column : 0, line === span.end_line ? span.end_column : Number.POSITIVE_INFINITY];
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-code": CodePanel;
  }
}
