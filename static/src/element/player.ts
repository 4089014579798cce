import { html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { Stage } from "../drawing/stage";
import { baseStyle } from "../panels/base-style";
import type { Command } from "../panels/controls";
import type { Example, Examples, Topic } from "../panels/examples";
import { icon } from "../panels/icons";
import type { KeySheet } from "../panels/key-sheet";
import { type Note, readPageData } from "../panels/notes";
import type { At } from "../state/compare";
import { type Grain, lineGroup } from "../state/grains";
import { travelTime } from "../state/playback";
import { findStep, type Pointer } from "../state/pointer";
import { fetchTrace, runSnippet, ServiceProblem } from "../trace/service";
import type { Trace } from "../trace/types";
import { PageAddress } from "./address";
import { Clock } from "./clock";
import { Comparing } from "./comparing";
import { bindingFor, type KeyBinding } from "./keys";
import { shareLink } from "./link";
import { type Chosen, Looking } from "./looking";
import { playerStyle } from "./player-style";
import { RARE } from "./rare";
import { Snippet } from "./snippet";
import { changeOf } from "./targets";
import { Voice } from "./voice";

const TABS = ["Variables", "Inspector", "Outline", "Stops"] as const;

/**
 * The player. Attributes: `runs`, where snippets are posted; `trace`, a ready trace to show at once. The snippet is the
 * text of a `<pre>` inside, which is also what a page without scripts shows.
 *
 * It owns what is true now: the trace, and through its controllers the step (`Clock`) and the code (`Snippet`). Panels
 * are given what they show and answer with events.
 */
@customElement("backplay-player")
export class Player extends LitElement {
  static override styles = [baseStyle, playerStyle];

  @property() runs = "";
  @property({ attribute: "trace" }) traceUrl = "";
  /** A trace that brings its code with it. */
  @property() src = "";
  /** In somebody else's page: nothing is kept in the browser. */
  @property({ type: Boolean }) embedded = false;

  @state() private running = false;
  @state() private problem: ServiceProblem | null = null;
  @state() private tab: string = TABS[0];
  /** What the last command did, when nothing else shows it. */
  @state() private told = "";

  @query("backplay-stage:not(.kept)") private stage!: Stage;
  @query("backplay-keys") private keys!: KeySheet;
  @query("backplay-examples") private gallery!: Examples;
  @query(".frame") private frame!: HTMLElement;

  private readonly address = new PageAddress();
  private readonly clock = new Clock(this, this.address);
  private readonly comparing = new Comparing(this, () => this.stageAspect());
  private readonly looking = new Looking(this, () => this.stageAspect());
  private readonly snippet = new Snippet(this, {
    place: () => this.renderRoot.querySelector<HTMLElement>(".editor"),
    root: () => this.renderRoot as ShadowRoot,
    outcome: () => (this.trace?.code === this.snippet.code ? this.trace.outcome : null),
    run: () => void this.run(),
    left: () => this.frame.focus({ preventScroll: true }),
  });
  /** The page's own snippet, whatever stands in its place now. */
  private own = "";
  private readonly voice = new Voice();
  private notes: readonly Note[] = [];
  private examples: readonly Topic[] = [];
  private request: AbortController | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.own = (this.querySelector("pre")?.textContent ?? "").replace(/^\n+/, "");
    this.snippet.start(this.own, this.embedded ? null : location.pathname);
    this.notes = readPageData<Note[]>(this, "notes") ?? [];
    document.addEventListener("keydown", this.onKey);
    this.examples = readPageData<Topic[]>(this, "examples") ?? [];
    void this.begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("keydown", this.onKey);
    this.request?.abort();
  }

  /** Width over height of the place for one graph. */
  private stageAspect(): number {
    const { width, height } = this.stage.room;
    // Before the kept run stands beside it, the one stage has the place of both.
    return width / (this.comparing.keeps && !this.comparing.kept ? 2 : 1) / Math.max(1, height);
  }

  private get trace(): Trace | null {
    return this.looking.trace;
  }

  /** What the address carries comes first, then what the person wrote here before, then the page's own trace. */
  private async begin(): Promise<void> {
    const linked = await this.address.code();
    if (linked !== null) {
      this.snippet.replace(linked);
      await this.play();
    } else if (this.src) {
      await this.load((signal) => fetchTrace(this.src, { signal }));
      if (this.trace) this.snippet.replace(this.trace.code);
    } else if (this.traceUrl && !this.snippet.changed)
      await this.load((signal) => fetchTrace(this.traceUrl, { signal }));
  }

  // ── the trace ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Posts the code and plays what comes back, from its first step. */
  async run(): Promise<void> {
    // The code that a link brought is no longer what the address should say.
    this.address.setStep(0);
    await this.address.setCode(null);
    await this.play();
    this.frame.focus({ preventScroll: true });
  }

  /** Runs a program without playing it. */
  private readonly runApart = (code: string): Promise<Trace> => runSnippet(this.runs, code);

  /** Posts the code and plays what comes back, at the step that the address names. */
  private async play(): Promise<void> {
    this.snippet.close();
    await this.load((signal) => runSnippet(this.runs, this.snippet.code, signal));
  }

  private async link(): Promise<void> {
    this.told = await shareLink(this.address, this.snippet.code);
  }

  private async showExamples(): Promise<void> {
    await RARE.examples();
    await this.gallery.updateComplete;
    this.gallery.show();
  }

  private tryExample({ snippet }: Example): void {
    this.snippet.replace(snippet);
    void this.run();
  }

  /** Runs a changed version of the page's snippet. */
  async tryChange(code: string): Promise<void> {
    this.snippet.set(code);
    this.scrollIntoView({ block: "nearest" });
    await this.run();
  }

  /** Goes to a step of the page's snippet; code that has no such step gives way to the snippet. */
  async showStep(pointer: Pointer): Promise<void> {
    this.scrollIntoView({ block: "nearest" });
    let step = this.trace && findStep(this.trace, pointer);
    if (step === null) {
      await this.load((signal) => fetchTrace(this.traceUrl, { signal }));
      this.snippet.replace(this.own);
      step = this.trace && findStep(this.trace, pointer);
    }
    if (step !== null) this.clock.seek(step);
  }

  /** Gets a trace and shows it; a newer request replaces one that is under way. */
  private async load(get: (signal: AbortSignal) => Promise<Trace>): Promise<void> {
    this.clock.pause();
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    this.problem = null;
    this.running = true;
    try {
      const trace = await get(request.signal);
      if (!request.signal.aborted) await this.show(trace);
    } catch (error) {
      if (request.signal.aborted) return;
      if (!(error instanceof ServiceProblem)) throw error;
      this.problem = error;
    } finally {
      if (this.request === request) this.running = false;
    }
  }

  private async show(trace: Trace): Promise<void> {
    await this.updateComplete;
    await this.looking.show(trace, this.clock.firstStep(trace), (history) => this.clock.start(history));
    await this.comparing.meet(trace);
    if (this.comparing.kept) this.openTab("Compare");
    else if (this.tab === "Compare") this.tab = TABS[0];
  }

  private choose(chosen: Chosen | null): void {
    this.looking.choose(chosen);
    if (chosen) this.openTab("Inspector");
  }

  private chooseCard(index: number | null): void {
    const card = index === null ? undefined : this.looking.scene?.cards[index];
    if (card?.kind === "group") this.looking.togglePart(card.scope, this.clock.step);
    else this.choose(card ? { tensor: card.tensor, node: card.node } : null);
  }

  /** To the end of the next turn of a line, or of its first one. */
  private goToLine(line: number): void {
    const { history } = this.looking;
    const reached = history?.lines.changes(line) ?? new Int32Array();
    const start = reached.find((step) => step > this.clock.step) ?? reached[0];
    if (history && start !== undefined) this.clock.seek(lineGroup(history.trace, start)[1]);
  }

  // ── commands ───────────────────────────────────────────────────────────────────────────────────────────────────────

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented) return;
    const within = event.composedPath().includes(this);
    if (within && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void this.run();
      return;
    }
    if (!within && event.target !== document.body) return;
    // Outside the player these keys scroll the page.
    if (!within && [" ", "Home", "End"].includes(event.key)) return;
    const prediction = this.renderRoot.querySelector("backplay-prediction");
    const binding = bindingFor(event);
    if (prediction && !binding && /^[1-9]$/.test(event.key)) prediction.choose(Number(event.key) - 1);
    if (!binding) return;
    event.preventDefault();
    this.act(binding.action);
  };

  private act(action: KeyBinding["action"]): void {
    this.told = "";
    switch (action) {
      case "keys":
        this.keys.toggle();
        break;
      case "edit":
        this.edit(null);
        break;
      case "fit":
        this.stage.fitAll();
        break;
      case "compare":
        this.compare();
        break;
      case "change-next":
      case "change-back":
        this.toChange(action === "change-next");
        break;
      case "follow":
        this.looking.setFollowing(!this.looking.follows, this.clock.step);
        break;
      case "closer":
      case "farther":
        this.stage.zoomBy(action === "closer" ? 1.25 : 0.8);
        break;
      default:
        this.clock.act(action);
    }
  }

  private compare(): void {
    if (this.tab === "Compare") this.openTab(TABS[0]);
    this.told = this.comparing.toggle(this.trace);
  }

  private toChange(forward: boolean): void {
    const { history, chosen } = this.looking;
    const target = changeOf(history, chosen?.tensor ?? null, this.clock.step, forward);
    if (typeof target === "string") this.told = target;
    else this.clock.seek(target);
  }

  private edit(line: number | null): void {
    this.clock.pause();
    void this.snippet.edit(line);
  }

  // ── drawing ────────────────────────────────────────────────────────────────────────────────────────────────────────

  protected override updated(): void {
    const ended = this.clock.step === this.clock.last && this.trace?.code === this.own;
    if (ended) this.dispatchEvent(new CustomEvent("played"));
  }

  protected override willUpdate(): void {
    const { step, playing, asked } = this.clock;
    this.looking.follow(step);
    this.comparing.follow(step);
    this.voice.say(step, this.trace?.steps[step]?.text ?? null, asked?.prompt ?? null, playing);
  }

  protected override render() {
    const { step } = this.clock;
    return html`<div class="frame ${this.running ? "busy" : ""}" tabindex="-1">
      <section class="code" aria-label="Code">${this.drawCode()}</section>
      <section class="stage" aria-label="Graph">${this.drawStage()}</section>
      <section class="story" aria-label="What happens" tabindex="0">
        <backplay-problem .problem=${this.problem} .outcome=${this.trace?.outcome ?? null} .here=${step === this.clock.last}
          @seek-end=${() => this.clock.act("last")} @edit-line=${(e: CustomEvent<number>) => this.edit(e.detail)}></backplay-problem>
        ${
          this.clock.asked
            ? html`<backplay-prediction .question=${this.clock.asked} @seek=${this.onSeek} @go-on=${this.onGoOn}></backplay-prediction>`
            : nothing
        }
        <backplay-narration .trace=${this.trace} .step=${step} .notes=${this.notes} @seek=${this.onSeek}></backplay-narration>
      </section>
      <section class="data" aria-label="Values">${this.drawData()}</section>
      <backplay-controls class="controls" .trace=${this.trace} .step=${step} .playing=${this.clock.playing} .speed=${this.clock.speed} .grain=${this.clock.grain} .predicting=${this.clock.predicting}
        @command=${(e: CustomEvent<Command>) => this.act(e.detail)} @seek=${this.onSeek} @grain=${(e: CustomEvent<Grain>) => this.clock.setGrain(e.detail)}></backplay-controls>
      <p class="hidden-text" role="status" aria-live="polite">${this.voice.words}</p>
      <backplay-keys></backplay-keys>
      <backplay-examples .topics=${this.examples} @choose-example=${(e: CustomEvent<Example>) => this.tryExample(e.detail)}></backplay-examples>
    </div>`;
  }

  private readonly onSeek = (event: CustomEvent<number>): void => this.clock.seek(event.detail);

  private readonly onGoOn = (): void => {
    this.clock.goOn();
    // The button that was pressed is about to go; the keys should go on working.
    this.frame.focus({ preventScroll: true });
  };

  private drawCode() {
    const { snippet, clock } = this;
    const stale = this.trace !== null && this.trace.code !== snippet.code;
    return html`
      <header>
        <h3 class="heading">${snippet.editing ? "Editing" : stale ? "Changed: press Run" : "Code"}</h3>
        ${this.examples.length > 0 ? html`<button class="quiet" @click=${() => this.showExamples()}>Examples</button>` : nothing}
        ${snippet.changed ? html`<button class="quiet" @click=${() => snippet.restore()}>Reset</button>` : nothing}
        <button class="quiet" @click=${() => this.link()}>Link</button>
        <button class="quiet" aria-pressed=${this.comparing.keeps} ?disabled=${!this.trace} @click=${() => this.act("compare")}>Compare</button>
        ${snippet.editing ? nothing : html`<button class="quiet" @click=${() => this.edit(null)}>Edit</button>`}
        <button class="run" ?disabled=${this.running} @click=${() => this.run()}>${icon("play")} ${this.running ? "Running…" : "Run"}</button>
      </header>
      ${
        snippet.editing
          ? html`<div class="editor"></div>`
          : html`<backplay-code .code=${snippet.code} .history=${stale ? null : this.looking.history} .step=${clock.step} .breakpoints=${clock.halts.lines} .stopsVersion=${clock.halts.version} .source=${this.looking.source}
              @go-line=${(e: CustomEvent<number>) => this.goToLine(e.detail)} @hover-name=${(e: CustomEvent<string>) => this.looking.pointAt(e.detail, clock.step)}
              @edit-line=${(e: CustomEvent<number>) => this.edit(e.detail)} @toggle-breakpoint=${(e: CustomEvent<number>) => clock.halts.toggleLine(e.detail)}></backplay-code>`
      }`;
  }

  private drawStage() {
    const both = this.looking.history ? this.comparing.both(this.looking.history, this.clock.step) : null;
    return html`
      <div class="stages ${both ? "two" : ""}">
      ${both ? this.drawKept(both) : nothing}
      <backplay-stage .marks=${both ? this.comparing.marks(both, "now") : null} .history=${this.looking.history} .scene=${this.looking.scene} .step=${this.clock.step} .selected=${this.looking.card} .travel=${travelTime(this.clock.speed)} .follows=${this.looking.follows}
        @select-card=${(e: CustomEvent<number | null>) => this.chooseCard(e.detail)} @toggle-part=${(e: CustomEvent<number>) => this.looking.togglePart(e.detail, this.clock.step)}></backplay-stage>
      </div>
      <footer>
        <p class="legend" aria-hidden="true"><span class="leaf">leaf</span><span class="operation">recorded operation</span><span class="saved">saved</span><span class="gradient">gradient</span><span class="sum">.grad</span></p>
        <div class="lens" role="group" aria-label="View">
          <button class="word" aria-pressed=${this.looking.follows} @click=${() => this.act("follow")}>Follow</button>
          <button aria-label="Zoom out" @click=${() => this.act("farther")}>${icon("farther")}</button>
          <button aria-label="Zoom in" @click=${() => this.act("closer")}>${icon("closer")}</button>
          <button aria-label="Fit the graph" @click=${() => this.act("fit")}>${icon("fit")}</button>
        </div>
      </footer>
      <p class="told" aria-live="polite">${this.told}</p>
      ${this.anythingShown ? nothing : html`<p class="blank">${this.running ? "Running…" : "The graph appears here, node by node. Step with the arrow keys or the buttons below."}</p>`}`;
  }

  /** The kept run, beside the one that plays. */
  private drawKept(both: readonly [At, At]) {
    const { kept } = this.comparing;
    const [{ history, step }] = both;
    return html`<backplay-stage class="kept" .marks=${this.comparing.marks(both, "kept")} .history=${history} .scene=${kept?.scene} .step=${step} .follows=${this.looking.follows} .travel=${travelTime(this.clock.speed)}
      @toggle-part=${(e: CustomEvent<number>) => kept?.togglePart(e.detail, step)}></backplay-stage>`;
  }

  private get anythingShown(): boolean {
    return this.looking.scene?.cards.some((card) => card.step <= this.clock.step) ?? false;
  }

  private drawData() {
    return html`
      <backplay-tabs .names=${this.comparing.kept ? [...TABS, "Compare"] : TABS} .open=${this.tab} @open-tab=${(
        e: CustomEvent<string>,
      ) => {
        this.openTab(e.detail);
      }}>${this.drawTab()}</backplay-tabs>
      <backplay-output .history=${this.looking.history} .step=${this.clock.step} @seek=${this.onSeek}></backplay-output>`;
  }

  private openTab(tab: string): void {
    this.tab = tab;
    if (tab === "Inspector") void RARE.check();
    if (tab === "Compare") void RARE.comparison();
    if (tab === "Stops") void RARE.stops();
  }

  /** Only the open tab is drawn: the others would cost time at every step. */
  private drawTab() {
    const { history, scene } = this.looking;
    const { step } = this.clock;
    switch (this.tab) {
      case "Inspector":
        return html`<backplay-inspector .history=${history} .step=${step} .chosen=${this.looking.chosen} .run=${this.runs ? this.runApart : null} @seek=${this.onSeek}></backplay-inspector>`;
      case "Compare": {
        const both = history ? this.comparing.both(history, step) : null;
        return html`<backplay-comparison .earlier=${both?.[0] ?? null} .now=${both?.[1] ?? null}></backplay-comparison>`;
      }
      case "Stops":
        return html`<backplay-stops .history=${history} .stops=${this.clock.halts} .version=${this.clock.halts.version} @seek=${this.onSeek} @to-stop=${() => this.act("stop-next")}></backplay-stops>`;
      case "Outline":
        return html`<backplay-outline .history=${history} .scene=${scene} .step=${step} .selected=${this.looking.card}
          @select-card=${(e: CustomEvent<number>) => this.chooseCard(e.detail)} @toggle-part=${(e: CustomEvent<number>) => this.looking.togglePart(e.detail, this.clock.step)}></backplay-outline>`;
      default:
        return html`<backplay-variables .history=${history} .step=${step} .selectedTensor=${this.looking.chosen?.tensor ?? null}
          @select-tensor=${(e: CustomEvent<number>) => this.choose({ tensor: e.detail, node: history?.trace.tensors[e.detail]?.grad_fn ?? null })}></backplay-variables>`;
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-player": Player;
  }
}
