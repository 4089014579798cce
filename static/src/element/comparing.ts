import type { ReactiveControllerHost } from "lit";
import { loadBeyond } from "../drawing/stage";
import type { PlacedCard } from "../layout/scene";
import type { At, Difference, Match } from "../state/compare";
import { currentPass } from "../state/frame";
import type { History } from "../state/history";
import type { Trace } from "../trace/types";
import { Looking } from "./looking";
import { RARE } from "./rare";

/** A run that a person kept, beside the one that plays: scrubbed together, what differs marked in both. */
export class Comparing {
  /** The kept run as it is laid out; null until another run stands beside it. */
  kept: Looking | null = null;

  private trace: Trace | null = null;
  private fromNow: Match | null = null;
  private fromKept: Match | null = null;
  private differenceOf: typeof import("../state/compare").differenceOf = () => "";

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly aspect: () => number,
  ) {}

  get keeps(): boolean {
    return this.trace !== null;
  }

  /** The code of the run that stands beside the one that plays. */
  get code(): string | null {
    return this.kept ? (this.trace?.code ?? null) : null;
  }

  /** Keeps a run, to be seen beside the next one that is shown. */
  keep(trace: Trace): void {
    this.trace = trace;
    this.kept = null;
  }

  /** Keeps a run, or forgets the kept one. Says what was done. */
  toggle(trace: Trace | null): string {
    this.trace = this.trace ? null : trace;
    this.kept = null;
    this.host.requestUpdate();
    return this.trace
      ? "This run is kept. Change the code and press Run: both will stand side by side."
      : "No longer comparing.";
  }

  /** Sets the kept run beside a new one. */
  async meet(now: Trace): Promise<void> {
    if (!this.trace) return;
    const kept = new Looking(this.host, this.aspect);
    await kept.show(this.trace, 0, () => {});
    // Most visits compare nothing. What draws the differences should be there with them.
    const [{ matchRuns, differenceOf }] = await Promise.all([RARE.compare(), loadBeyond()]);
    this.differenceOf = differenceOf;
    this.fromNow = matchRuns(now, this.trace);
    this.fromKept = matchRuns(this.trace, now);
    this.kept = kept;
    this.host.requestUpdate();
  }

  /** Where the kept run is when the other one is at `step`; opens the part where it acts. */
  follow(step: number): void {
    this.kept?.follow(this.stepOf(step));
  }

  /** The kept run's step. */
  stepOf(step: number): number {
    return this.fromNow?.steps[step] ?? 0;
  }

  /** Both runs at a step of the one that plays: the kept one, then the other. */
  both(now: History, step: number): readonly [At, At] | null {
    const kept = this.kept?.history;
    return kept ? [at(kept, this.stepOf(step)), at(now, step)] : null;
  }

  /** How each card of the run that plays differs, or of the kept one. */
  marks([kept, now]: readonly [At, At], of: "kept" | "now"): ((card: PlacedCard) => Difference) | null {
    const { fromNow, fromKept } = this;
    if (!fromNow || !fromKept) return null;
    return (card) =>
      card.kind === "group"
        ? ""
        : of === "now"
          ? this.differenceOf(fromNow, now, kept, card)
          : this.differenceOf(fromKept, kept, now, card);
  }
}

const at = (history: History, step: number): At => ({ history, step, pass: currentPass(history, step) });
