import type { ReactiveController, ReactiveControllerHost } from "lit";
import { hashWithStep, stepFromHash } from "../state/address";
import { GRAINS, type Grain, nextStop, previousStop, stops } from "../state/grains";
import { beatLength, changeSpeed } from "../state/playback";
import type { Trace } from "../trace/types";

/** What a person can ask of time. */
export type TimeAction =
  | "toggle"
  | "first"
  | "last"
  | "next"
  | "back"
  | "line-next"
  | "line-back"
  | "chapter-next"
  | "chapter-back"
  | "slower"
  | "faster"
  | "grain";

/** Which step of the trace is now, and how it moves: the only owner of the step and of the address that names it. */
export class Clock implements ReactiveController {
  step = 0;
  grain: Grain = "message";
  speed = 1;
  playing = false;
  /** Lines on which playing halts. */
  breakpoints: ReadonlySet<number> = new Set();

  private trace: Trace | null = null;
  private stops: Int32Array = new Int32Array();
  private timer = 0;

  constructor(private readonly host: ReactiveControllerHost) {
    host.addController(this);
  }

  hostConnected(): void {
    window.addEventListener("hashchange", this.onHash);
  }

  hostDisconnected(): void {
    window.removeEventListener("hashchange", this.onHash);
    this.pause();
  }

  get last(): number {
    return Math.max(0, (this.trace?.steps.length ?? 1) - 1);
  }

  /** Starts a trace, at the step that the address names. */
  start(trace: Trace): void {
    this.trace = trace;
    this.stops = stops(trace, this.grain);
    this.step = this.clamp(stepFromHash(location.hash) ?? 0);
    this.host.requestUpdate();
  }

  /** Goes to a step and stays there. */
  seek(step: number): void {
    this.pause();
    this.goTo(step);
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

  toggleBreakpoint(line: number): void {
    const next = new Set(this.breakpoints);
    if (!next.delete(line)) next.add(line);
    this.breakpoints = next;
    this.host.requestUpdate();
  }

  act(action: TimeAction): void {
    const { trace, step } = this;
    if (action === "slower" || action === "faster") {
      this.speed = changeSpeed(this.speed, action === "faster" ? 1 : -1);
      this.host.requestUpdate();
    } else if (action === "grain") {
      this.setGrain(GRAINS[(GRAINS.indexOf(this.grain) + 1) % GRAINS.length] ?? "message");
    } else if (trace && action === "toggle") {
      if (this.playing) this.pause();
      else this.play();
    } else if (trace) {
      this.seek(
        targetOf(action as Exclude<TimeAction, "toggle" | "slower" | "faster" | "grain">, trace, step, this.stops),
      );
    }
  }

  private play(): void {
    if (this.step >= this.last) this.goTo(0);
    this.playing = true;
    const beat = (): void => {
      const before = this.step;
      const halt = this.haltBetween(before + 1, nextStop(this.stops, before));
      this.goTo(halt ?? nextStop(this.stops, before));
      if (halt !== null || this.step >= this.last) this.pause();
      else this.timer = window.setTimeout(beat, beatLength(this.speed));
    };
    this.timer = window.setTimeout(beat, beatLength(this.speed) / 3);
    this.host.requestUpdate();
  }

  /** Playing halts where a marked line begins, and where the snippet says `breakpoint()`. */
  private haltBetween(first: number, last: number): number | null {
    for (let step = first; step <= last; step++) {
      const event = this.trace?.steps[step];
      if (event?.kind === "bookmark") return step;
      if (event?.kind === "line" && event.span && this.breakpoints.has(event.span.line)) return step;
    }
    return null;
  }

  private goTo(step: number): void {
    this.step = this.clamp(step);
    history.replaceState(null, "", hashWithStep(location.hash, this.step));
    this.host.requestUpdate();
  }

  private clamp(step: number): number {
    return Math.min(this.last, Math.max(0, step));
  }

  private readonly onHash = (): void => {
    const step = stepFromHash(location.hash);
    if (step !== null && step !== this.step) this.seek(step);
  };
}

function targetOf(
  action: Exclude<TimeAction, "toggle" | "slower" | "faster" | "grain">,
  trace: Trace,
  step: number,
  list: Int32Array,
): number {
  const last = trace.steps.length - 1;
  switch (action) {
    case "first":
      return 0;
    case "last":
      return last;
    case "next":
      return nextStop(list, step);
    case "back":
      return previousStop(list, step);
    case "line-next":
      return nextStop(stops(trace, "line"), step);
    case "line-back":
      return previousStop(stops(trace, "line"), step);
    case "chapter-next":
      return trace.chapters.find((chapter) => chapter.first > step)?.first ?? last;
    case "chapter-back":
      return trace.chapters.findLast((chapter) => chapter.first < step)?.first ?? 0;
  }
}
