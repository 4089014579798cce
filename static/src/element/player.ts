import { html, LitElement } from "lit";
import { property, query, state } from "lit/decorators.js";
import type { Stage } from "../drawing/stage";
import { baseStyle } from "../panels/base-style";
import type { Example, Examples, Topic } from "../panels/examples";
import type { KeySheet } from "../panels/key-sheet";
import { type Note, readPageData } from "../panels/notes";
import type { Outline } from "../panels/outline";
import type { Tabs } from "../panels/tabs";
import type { Chosen } from "../state/chosen";
import type { Command } from "../state/commands";
import { flagsOf } from "../state/flags";
import { type Grain, lineGroup } from "../state/grains";
import { findStep, type Pointer } from "../state/pointer";
import { fetchTrace, runSnippet } from "../trace/service";
import type { Trace } from "../trace/types";
import { type Address, PageAddress } from "./address";
import { Clock } from "./clock";
import { Commands } from "./commands";
import { Comparing } from "./comparing";
import { Keyboard, type Keyed } from "./keyboard";
import { Loading } from "./loading";
import { Looking } from "./looking";
import { Pasting } from "./pasting";
import { playerStyle } from "./player-style";
import type { Playing, Tab } from "./playing";
import { RARE } from "./rare";
import { Reading } from "./reading";
import { drawCode } from "./regions/code";
import { drawStage } from "./regions/stage";
import { drawStory } from "./regions/story";
import { drawValues, loadTab } from "./regions/values";
import { Snippet } from "./snippet";
import { Voice } from "./voice";

/** Pixels of width below which the panel of values stands under everything else. */
const NARROW = 560;

/**
 * The player. Attributes: `runs`, where snippets are posted; `trace`, a ready trace to show at once; `src`, a trace that
 * brings its code along. The snippet is the text of a `<pre>` inside, which is also what a page without scripts shows.
 *
 * It owns what is true now, through its controllers: the trace (`Loading`, `Looking`), the step (`Clock`), the code
 * (`Snippet`). Panels are given what they show and answer with events.
 */
export class Player extends LitElement implements Playing, Keyed {
  static override styles = [baseStyle, playerStyle];

  @property() runs = "";
  @property({ attribute: "trace" }) traceUrl = "";
  /** A trace that brings its code with it. */
  @property() src = "";
  /** Whether the page's own trace plays by itself once it is there. */
  @property({ type: Boolean }) autoplay = false;
  /** In a frame of somebody else's page: nothing is kept in the browser. */
  @property({ type: Boolean }) embedded = false;

  @state() tab: Tab = "Variables";
  @state() told = "";

  @query("backplay-stage:not(.kept)") private stage!: Stage;
  @query("backplay-keys") private keys!: KeySheet;
  @query("backplay-outline") private outline!: Outline | null;
  @query("backplay-tabs") private tabs!: Tabs;
  @query("backplay-examples") private gallery!: Examples;
  @query(".frame") private frame!: HTMLElement;

  private readonly address = this.openAddress();
  readonly clock = new Clock(this, this.address);
  readonly comparing = new Comparing(this, () => this.stageAspect());
  readonly looking = new Looking(this, () => this.stageAspect());
  readonly loading = new Loading(this);
  readonly reading = new Reading(this);
  readonly snippet = new Snippet(this, {
    place: () => this.renderRoot.querySelector<HTMLElement>(".editor"),
    root: () => this.renderRoot as ShadowRoot,
    flags: () => (this.trace?.code === this.snippet.code ? flagsOf(this.trace) : []),
    run: () => this.run(),
    left: () => this.focusFrame(),
  });
  private readonly commands = new Commands(this, {
    stage: () => this.stage,
    stages: () => this.renderRoot.querySelectorAll<Stage>(".stages > backplay-stage"),
    keys: () => this.keys,
    outline: () => this.outline,
  });
  notes: readonly Note[] = [];
  examples: readonly Topic[] = [];

  /** The page's own snippet, whatever stands in its place now. */
  private own = "";
  private readonly voice = new Voice();
  /** Whether it plays without having been asked to: then no voice reads along. */
  private unasked = false;

  constructor() {
    super();
    new Keyboard(this);
    new Pasting(this);
  }

  /** Whether the page is made for the player: its address names the step, and keys anywhere on it are for the player. */
  get inOwnPage(): boolean {
    return true;
  }

  get canRun(): boolean {
    return this.runs !== "";
  }

  get trace(): Trace | null {
    return this.looking.trace;
  }

  get playsOwn(): boolean {
    return this.trace?.code === this.own;
  }

  protected openAddress(): Address {
    return new PageAddress();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.own = (this.querySelector("pre")?.textContent ?? "").replace(/^\n+/, "");
    this.snippet.start(this.own, this.embedded || !this.inOwnPage ? null : location.pathname);
    this.notes = readPageData<Note[]>(this, "notes") ?? [];
    this.examples = readPageData<Topic[]>(this, "examples") ?? [];
    void this.begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.loading.cancel();
  }

  /** Width over height of the place for one graph. */
  private stageAspect(): number {
    const { width, height } = this.stage.room;
    // Before the kept run stands beside it, the one stage has the place of both.
    return width / (this.comparing.keeps && !this.comparing.kept ? 2 : 1) / Math.max(1, height);
  }

  private focusFrame(): void {
    this.frame.focus({ preventScroll: true });
  }

  // ── the trace ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What the address carries comes first, then what the person wrote here before, then the page's own trace. */
  protected async begin(): Promise<void> {
    const linked = await this.address.code();
    const beside = await this.address.codeBeside();
    if (linked !== null) {
      this.snippet.replace(linked);
      await this.play();
      if (beside !== null) await this.compareCode(beside);
    } else if (this.src) {
      await this.load((signal) => this.fetchSource(signal));
      if (this.trace) this.snippet.replace(this.trace.code);
    } else if (this.traceUrl && !this.snippet.changed) {
      this.unasked = this.autoplay && this.address.step() === null;
      const unasked = this.unasked ? RARE.unasked() : null;
      await this.load((signal) => fetchTrace(this.traceUrl, { signal }));
      (await unasked)?.playUnasked(this.clock, this.looking, () => this.unasked && this.isConnected);
    }
  }

  protected fetchSource(signal: AbortSignal): Promise<Trace> {
    return fetchTrace(this.src, { signal });
  }

  /** Posts the code and plays what comes back, from its first step. */
  run(): void {
    if (this.canRun) void this.runFromStart();
  }

  private async runFromStart(): Promise<void> {
    this.unasked = false;
    // The code that a link brought is no longer what the address should say.
    this.address.setStep(0);
    await this.address.setCode(null);
    await this.play();
    this.focusFrame();
  }

  /** Whoever presses Play before there is anything to play wants both. */
  private async runAndPlay(): Promise<void> {
    if (!this.canRun || this.loading.running) return;
    await this.runFromStart();
    if (this.trace) this.clock.act("toggle");
  }

  readonly runApart = (code: string): Promise<Trace> => runSnippet(this.runs, code);

  /** Posts the code and plays what comes back, at the step that the address names. */
  private async play(): Promise<void> {
    this.snippet.close();
    await this.load((signal) => runSnippet(this.runs, this.snippet.code, signal));
  }

  private async load(get: (signal: AbortSignal) => Promise<Trace>): Promise<void> {
    this.clock.pause();
    this.told = "";
    await this.loading.load(get, (trace) => this.show(trace));
  }

  private async show(trace: Trace): Promise<void> {
    await this.updateComplete;
    await this.looking.show(trace, this.clock.firstStep(trace), (history) => this.clock.start(history));
    await this.comparing.meet(trace);
    if (this.comparing.kept) this.openTab("Compare");
    if (!this.looking.isLarge) return;
    const { rehearse } = await RARE.rehearsal();
    await rehearse(this, this.stage, this.renderRoot as ShadowRoot);
  }

  /** Runs a changed version of the page's snippet. */
  async tryChange(code: string): Promise<void> {
    this.snippet.set(code);
    this.scrollIntoView({ block: "nearest" });
    await this.runFromStart();
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
    if (step !== null) this.seek(step);
  }

  share(): void {
    const { address, stage, runs } = this;
    void RARE.sharing().then(({ openShare }) =>
      openShare({ player: this, address, stage, root: this.renderRoot as ShadowRoot, runs }),
    );
  }

  async present(): Promise<void> {
    if (document.fullscreenElement) return document.exitFullscreen();
    try {
      await this.requestFullscreen();
    } catch (error) {
      // A frame that was not allowed to, or a browser that has no full screen for elements.
      if (!(error instanceof TypeError)) throw error;
      this.told = "This browser does not let the player fill the screen here.";
    }
  }

  showExamples(): void {
    void RARE.examples().then(async () => {
      await this.gallery.updateComplete;
      this.gallery.show();
    });
  }

  tryExample({ snippet }: Example): void {
    this.snippet.replace(snippet);
    this.run();
  }

  // ── two runs ───────────────────────────────────────────────────────────────────────────────────────────────────────

  compareWith(link: string): void {
    void RARE.packed()
      .then(({ codeFromHash }) => codeFromHash(link.slice(link.indexOf("#"))))
      .then((code) => {
        if (code === null) this.told = "That is no link to code: it has no #code= in it. The Share button makes one.";
        else void this.compareCode(code);
      });
  }

  /** Runs other code and sets it beside the run that plays. */
  private async compareCode(code: string): Promise<void> {
    const { trace } = this;
    if (!trace) return;
    await this.loading.load(
      (signal) => runSnippet(this.runs, code, signal),
      async (other) => {
        this.comparing.keep(other);
        await this.show(trace);
      },
    );
  }

  // ── commands ───────────────────────────────────────────────────────────────────────────────────────────────────────

  act(command: Command): void {
    this.unasked = false;
    if (command === "toggle" && !this.trace) void this.runAndPlay();
    else this.told = this.commands.do(command);
  }

  seek(step: number): void {
    this.unasked = false;
    this.told = "";
    this.clock.seek(step);
  }

  answer(choice: number): void {
    this.renderRoot.querySelector("backplay-prediction")?.choose(choice);
  }

  edit(line: number | null): void {
    if (!this.canRun) return;
    this.unasked = false;
    this.clock.pause();
    void this.snippet.edit(line);
  }

  choose(chosen: Chosen | null): void {
    this.looking.choose(chosen);
    if (chosen) this.openTab("Inspector");
  }

  chooseCard(index: number | null): void {
    const card = index === null ? undefined : this.looking.scene?.cards[index];
    if (card?.kind === "group") return void this.togglePart(card.scope);
    this.choose(card ? { tensor: card.tensor, node: card.node } : null);
    // On a phone what there is to know about a card stands below what is in view.
    if (card && this.frame.clientWidth < NARROW) this.renderRoot.querySelector("backplay-tabs")?.scrollIntoView();
  }

  togglePart(part: number): void {
    void this.looking.togglePart(part, this.clock.step);
  }

  openTab(tab: Tab): void {
    // What was chosen with the keyboard is about to go with the panel it stood in.
    if (tab !== this.tab && this.shadowRoot?.activeElement?.parentElement === this.tabs) this.focusTab();
    this.tab = tab;
    loadTab(tab);
  }

  focusTab(): void {
    this.tabs.focusPanel();
  }

  /** To the end of the next turn of a line, or of its first one. */
  goToLine(line: number): void {
    const { history } = this.looking;
    const reached = history?.lines.changes(line) ?? new Int32Array();
    const start = reached.find((step) => step > this.clock.step) ?? reached[0];
    if (history && start !== undefined) this.seek(lineGroup(history.trace, start)[1]);
  }

  private readonly goOn = (): void => {
    this.clock.goOn();
    // The button that was pressed is about to go; the keys should go on working.
    this.focusFrame();
  };

  // ── drawing ────────────────────────────────────────────────────────────────────────────────────────────────────────

  protected override willUpdate(): void {
    const { step, playing, asked } = this.clock;
    this.reading.follow(this.looking.history, step, this.looking.follow(step));
    this.comparing.follow(step);
    if (!this.unasked) this.voice.say(step, this.trace?.steps[step]?.text ?? null, asked?.prompt ?? null, playing);
  }

  protected override updated(): void {
    if (this.clock.step === this.clock.last && this.playsOwn) this.dispatchEvent(new CustomEvent("played"));
  }

  protected override render() {
    const { clock, loading } = this;
    return html`<div class="frame ${loading.running ? "busy" : ""}" aria-busy=${loading.running} tabindex="-1">
      <section class="code" aria-label="Code">${drawCode(this)}</section>
      <section class="stage" aria-label="Graph">${drawStage(this)}</section>
      <section class="story" aria-label="What happens" tabindex="0">${drawStory(this, this.goOn)}</section>
      <section class="data" aria-label="Values">${drawValues(this)}</section>
      <backplay-controls class="controls" .trace=${this.trace} .step=${clock.step} .playing=${clock.playing} .speed=${clock.speed} .grain=${clock.grain} .predicting=${clock.predicting}
        @command=${(e: CustomEvent<Command>) => this.act(e.detail)} @seek=${(e: CustomEvent<number>) => this.seek(e.detail)} @grain=${(e: CustomEvent<Grain>) => clock.setGrain(e.detail)}></backplay-controls>
      <p class="hidden-text" role="status" aria-live="polite">${this.voice.words}</p>
      <backplay-keys></backplay-keys>
      <backplay-examples .topics=${this.examples} @choose-example=${(e: CustomEvent<Example>) => this.tryExample(e.detail)}></backplay-examples>
    </div>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-player": Player;
  }
}
