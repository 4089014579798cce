import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { TimeAction } from "../state/commands";
import { GRAINS, type Grain, nextStop, stops } from "../state/grains";
import type { History } from "../state/history";
import { beatLength, changeSpeed } from "../state/playback";
import { Stops } from "../state/stops";
import type { Question, Trace } from "../trace/types";
import type { Address } from "./address";
import { targetOf } from "./targets";

/** Which step of the trace is now, and how it moves: the only owner of the step and of the address that names it. */
export class Clock implements ReactiveController {
  step = 0;
  grain: Grain = "message";
  speed = 1;
  playing = false;
  /** Where playing halts. */
  readonly halts = new Stops(() => this.host.requestUpdate());
  /** Whether going forward halts at the trace's questions, before what they ask about is shown. */
  predicting = false;
  /** The question that waits for an answer. */
  asked: Question | null = null;

  private history: History | null = null;
  private stops: Int32Array = new Int32Array();
  private timer = 0;
  private readonly passed = new Set<Question>();

  private deaf: () => void = () => {};

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly address: Address,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.deaf = this.address.onStep((step) => {
      if (step !== this.step) this.seek(step);
    });
  }

  hostDisconnected(): void {
    this.deaf();
    this.pause();
  }

  get last(): number {
    return Math.max(0, (this.trace?.steps.length ?? 1) - 1);
  }

  private get trace(): Trace | null {
    return this.history?.trace ?? null;
  }

  /** Starts a trace, at the step that the address names. */
  start(played: History): void {
    this.history = played;
    const { trace } = played;
    this.stops = stops(trace, this.grain);
    this.step = this.firstStep(trace);
    this.asked = null;
    this.passed.clear();
    this.host.requestUpdate();
  }

  /** The step that the address names, within a trace. */
  firstStep(trace: Trace): number {
    return Math.min(trace.steps.length - 1, this.address.step() ?? 0);
  }

  /** Goes to a step and stays there. */
  seek(step: number): void {
    this.pause();
    this.asked = null;
    this.goTo(step);
  }

  /** Leaves the question that waits, answered or not, and takes the next step. */
  goOn(): void {
    this.passAsked();
    this.advance(nextStop(this.stops, this.step));
  }

  pause(): void {
    window.clearTimeout(this.timer);
    this.playing = false;
    this.host.requestUpdate();
  }

  setGrain(grain: Grain): void {
    this.grain = grain;
    if (this.trace) this.stops = stops(this.trace, grain);
    this.host.requestUpdate();
  }

  act(action: TimeAction): void {
    const { trace } = this;
    switch (action) {
      case "slower":
      case "faster":
        this.speed = changeSpeed(this.speed, action === "faster" ? 1 : -1);
        break;
      case "grain":
        this.setGrain(GRAINS[(GRAINS.indexOf(this.grain) + 1) % GRAINS.length] ?? "message");
        break;
      case "predict":
        this.predicting = !this.predicting;
        this.asked = null;
        if (this.predicting) this.askNext();
        break;
      case "toggle":
        if (this.playing) this.pause();
        else if (trace) this.play();
        break;
      case "stop-next":
        this.toNextStop();
        break;
      default:
        if (!trace) return;
        this.pause();
        this.passAsked();
        this.advance(targetOf(action, trace, this.step, this.stops));
    }
    this.host.requestUpdate();
  }

  /** Goes on to where playing would halt next, at once. */
  private toNextStop(): void {
    if (!this.history) return;
    this.pause();
    this.passAsked();
    this.advance(this.halts.within(this.history, this.step + 1, this.last) ?? this.last);
  }

  private play(): void {
    if (this.step >= this.last) this.goTo(0);
    this.playing = true;
    this.passAsked();
    const beat = (): void => {
      const wanted = nextStop(this.stops, this.step);
      const halt = this.history && this.halts.within(this.history, this.step + 1, wanted);
      this.advance(halt ?? wanted);
      if (halt !== null || this.asked || this.step >= this.last) this.pause();
      else this.timer = window.setTimeout(beat, beatLength(this.speed));
    };
    this.timer = window.setTimeout(beat, beatLength(this.speed) / 3);
    this.host.requestUpdate();
  }

  /** Questions about what comes after this step that nobody has answered or passed yet, in order. */
  get ahead(): Question[] {
    return (this.trace?.questions ?? [])
      .filter((question) => question.step > this.step && !this.passed.has(question))
      .sort((a, b) => a.step - b.step);
  }

  /** Goes to where the next question is asked; after the last one, to the first one again. */
  askNext(): void {
    this.pause();
    this.passAsked();
    if (this.ahead.length === 0) {
      this.passed.clear();
      this.step = 0;
    }
    const [next] = this.ahead;
    if (next) this.ask(next);
  }

  /** Goes forward, unless a question on the way has to be asked first. */
  private advance(step: number): void {
    const next = this.predicting ? this.ahead[0] : undefined;
    if (next && next.step <= step) {
      this.ask(next);
    } else {
      this.asked = null;
      this.goTo(step);
    }
  }

  /** Asks right before what the question is about is shown. */
  private ask(question: Question): void {
    this.asked = question;
    this.goTo(Math.max(this.step, question.step - 1));
  }

  private passAsked(): void {
    if (this.asked) this.passed.add(this.asked);
    this.asked = null;
  }

  private goTo(step: number): void {
    this.step = this.clamp(step);
    this.address.setStep(this.step);
    this.host.requestUpdate();
  }

  private clamp(step: number): number {
    return Math.min(this.last, Math.max(0, step));
  }
}
