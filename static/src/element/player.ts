import { html, LitElement, nothing, type PropertyValues } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Stage } from "../drawing/stage";
import { requestLayout } from "../layout/client";
import type { Scene } from "../layout/scene";
import { baseStyle } from "../panels/base-style";
import type { Command } from "../panels/controls";
import { icon } from "../panels/icons";
import type { KeySheet } from "../panels/key-sheet";
import { type Note, readNotes } from "../panels/notes";
import { spoken } from "../panels/prose";
import { hashWithStep } from "../state/address";
import { loadDraft, saveDraft } from "../state/draft";
import type { Grain } from "../state/grains";
import { buildHistory, type History } from "../state/history";
import { travelTime } from "../state/playback";
import { fetchTrace, runSnippet, ServiceProblem } from "../trace/service";
import type { Trace } from "../trace/types";
import { Clock } from "./clock";
import { bindingFor, type KeyBinding } from "./keys";
import { playerStyle } from "./player-style";

/**
 * The player. Attributes: `runs`, where snippets are posted; `trace`, a ready trace to show at once. The snippet is the
 * text of a `<pre>` inside, which is also what a page without scripts shows.
 *
 * It owns what is true now (the trace, the step, playing or not); panels below are given it and answer with events.
 */
@customElement("backplay-player")
export class Player extends LitElement {
  static override styles = [baseStyle, playerStyle];

  @property() runs = "";
  @property({ attribute: "trace" }) traceUrl = "";

  @state() private code = "";
  @state() private history: History | null = null;
  @state() private scene: Scene | null = null;
  @state() private running = false;
  @state() private editing = false;
  @state() private problem: ServiceProblem | null = null;
  @state() private selected: number | null = null;

  @query("backplay-stage") private stage!: Stage;
  @query("backplay-keys") private keys!: KeySheet;
  @query(".frame") private frame!: HTMLElement;
  @query(".editor") private editorPlace!: HTMLElement;

  private readonly clock = new Clock(this);
  private original = "";
  private notes: readonly Note[] = [];
  private editor: { destroy(): void } | null = null;
  private request: AbortController | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.original = (this.querySelector("pre")?.textContent ?? "").replace(/^\n+/, "");
    this.notes = readNotes(this);
    const draft = loadDraft(this.draftKey);
    this.code = draft ?? this.original;
    document.addEventListener("keydown", this.onKey);
    if (this.traceUrl && draft === null) void this.load(() => fetchTrace(this.traceUrl));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("keydown", this.onKey);
    this.request?.abort();
  }

  private get draftKey(): string {
    return location.pathname;
  }

  private get trace(): Trace | null {
    return this.history?.trace ?? null;
  }

  // ── running ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Posts the code and plays what comes back, from its first step. */
  async run(): Promise<void> {
    this.closeEditor();
    saveDraft(this.draftKey, this.code, this.original);
    this.request?.abort();
    this.request = new AbortController();
    const { signal } = this.request;
    history.replaceState(null, "", hashWithStep(location.hash, 0));
    await this.load(() => runSnippet(this.runs, this.code, signal));
    this.frame.focus({ preventScroll: true });
  }

  private async load(get: () => Promise<Trace>): Promise<void> {
    this.clock.pause();
    this.running = true;
    this.problem = null;
    try {
      await this.show(await get());
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      if (!(error instanceof ServiceProblem)) throw error;
      this.problem = error;
    } finally {
      this.running = false;
    }
  }

  private async show(trace: Trace): Promise<void> {
    await this.updateComplete;
    const box = this.stage.getBoundingClientRect();
    const scene = await requestLayout(trace, box.width / Math.max(1, box.height));
    this.history = buildHistory(trace);
    this.scene = scene;
    this.selected = null;
    this.clock.start(trace);
  }

  // ── commands ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private readonly onKey = (event: KeyboardEvent): void => {
    const within = event.composedPath().includes(this);
    if (within && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void this.run();
      return;
    }
    if (!within && event.target !== document.body) return;
    // Outside the player these keys scroll the page.
    if (!within && [" ", "Home", "End"].includes(event.key)) return;
    const binding = bindingFor(event);
    if (!binding) return;
    event.preventDefault();
    this.act(binding.action);
  };

  private act(action: KeyBinding["action"]): void {
    switch (action) {
      case "keys":
        this.keys.toggle();
        break;
      case "edit":
        void this.openEditor(null);
        break;
      case "fit":
        this.stage.fitAll();
        break;
      case "closer":
      case "farther":
        this.stage.zoomBy(action === "closer" ? 1.25 : 0.8);
        break;
      default:
        this.clock.act(action);
    }
  }

  // ── editing ────────────────────────────────────────────────────────────────────────────────────────────────────────

  private async openEditor(line: number | null): Promise<void> {
    if (this.editing) return;
    this.clock.pause();
    const { openEditor } = await import("../panels/editor");
    this.editing = true;
    await this.updateComplete;
    this.editor = openEditor({
      parent: this.editorPlace,
      root: this.renderRoot as ShadowRoot,
      code: this.code,
      line,
      outcome: this.trace?.code === this.code ? this.trace.outcome : null,
      onChange: (code) => {
        this.code = code;
        saveDraft(this.draftKey, code, this.original);
      },
      onRun: () => void this.run(),
      onLeave: () => {
        this.closeEditor();
        this.frame.focus({ preventScroll: true });
      },
    });
  }

  private closeEditor(): void {
    this.editor?.destroy();
    this.editor = null;
    this.editing = false;
  }

  private restore(): void {
    this.closeEditor();
    this.code = this.original;
    saveDraft(this.draftKey, this.code, this.original);
  }

  // ── drawing ────────────────────────────────────────────────────────────────────────────────────────────────────────

  protected override updated(changed: PropertyValues): void {
    if (changed.has("history") && changed.get("history") === undefined) this.stage.fitAll();
  }

  protected override render() {
    const { history, trace, clock } = this;
    const { step } = clock;
    const seek = (e: CustomEvent<number>) => clock.seek(e.detail);
    const stale = trace !== null && trace.code !== this.code;
    const event = trace?.steps[step];
    return html`<div class="frame ${this.running ? "busy" : ""}" tabindex="-1" @seek=${seek}>
      <section class="code" aria-label="Code">
        <header>
          <h3 class="heading">${this.editing ? "Editing" : stale ? "Changed: press Run" : "Code"}</h3>
          ${this.code !== this.original ? html`<button class="quiet" @click=${this.restore}>Reset</button>` : nothing}
          ${this.editing ? nothing : html`<button class="quiet" @click=${() => this.openEditor(null)}>Edit</button>`}
          <button class="run" ?disabled=${this.running} @click=${() => this.run()}>${icon("play")} ${this.running ? "Running…" : "Run"}</button>
        </header>
        ${
          this.editing
            ? html`<div class="editor"></div>`
            : html`<backplay-code .code=${this.code} .history=${stale ? null : history} .step=${step} .breakpoints=${clock.breakpoints}
              @edit-line=${(e: CustomEvent<number>) => this.openEditor(e.detail)} @toggle-breakpoint=${(e: CustomEvent<number>) => clock.toggleBreakpoint(e.detail)}></backplay-code>`
        }
      </section>
      <section class="stage" aria-label="Graph">
        <backplay-stage .history=${history} .scene=${this.scene} .step=${step} .selected=${this.selected} .travel=${travelTime(clock.speed)}
          @select-card=${(e: CustomEvent<number | null>) => (this.selected = e.detail)}></backplay-stage>
        ${
          history
            ? html`<p class="legend" aria-hidden="true"><span class="leaf">leaf</span><span class="operation">recorded operation</span><span class="saved">saved</span><span class="gradient">gradient</span><span class="sum">.grad</span></p>
            <div class="lens" role="group" aria-label="View">
              <button aria-label="Zoom in" @click=${() => this.act("closer")}>${icon("closer")}</button>
              <button aria-label="Zoom out" @click=${() => this.act("farther")}>${icon("farther")}</button>
              <button aria-label="Fit the graph" @click=${() => this.act("fit")}>${icon("fit")}</button>
            </div>`
            : html`<p class="blank">${this.running ? "Running…" : "The graph appears here, node by node."}</p>`
        }
      </section>
      <section class="story" aria-label="What happens" tabindex="0">
        <backplay-problem .problem=${this.problem} .outcome=${trace?.outcome ?? null} @edit-line=${(e: CustomEvent<number>) => this.openEditor(e.detail)}></backplay-problem>
        <backplay-narration .trace=${trace} .step=${step} .notes=${this.notes} @seek=${seek}></backplay-narration>
      </section>
      <section class="data" aria-label="Values">
        <backplay-variables .history=${history} .step=${step} .selectedTensor=${this.selected === null ? null : (this.scene?.cards[this.selected]?.tensor ?? null)}
          @select-tensor=${(e: CustomEvent<number>) => (this.selected = this.scene?.cardOfTensor[e.detail] ?? null)}></backplay-variables>
        <backplay-output .history=${history} .step=${step} @seek=${seek}></backplay-output>
      </section>
      <backplay-controls class="controls" .trace=${trace} .step=${step} .playing=${clock.playing} .speed=${clock.speed} .grain=${clock.grain}
        @command=${(e: CustomEvent<Command>) => this.act(e.detail)} @seek=${seek} @grain=${(e: CustomEvent<Grain>) => clock.setGrain(e.detail)}></backplay-controls>
      <p class="hidden-text" role="status" aria-live="polite">${event ? `Step ${step + 1}. ${spoken(event.text)}` : ""}</p>
      <backplay-keys></backplay-keys>
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-player": Player;
  }
}
