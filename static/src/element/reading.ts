import type { ReactiveControllerHost } from "lit";
import type { History } from "../state/history";

/**
 * The step that words and values show. It is the step that plays, but for a leap to another part of a large graph: then the
 * graph, the code and the scrubber are drawn within a frame, and words and values in the next one.
 */
export class Reading {
  step = 0;

  private history: History | null = null;
  private waits = false;

  constructor(private readonly host: ReactiveControllerHost) {}

  /** To be called before drawing; `leapt`: whether another part was opened since the last time. */
  follow(history: History | null, step: number, leapt: boolean): void {
    if (leapt && !this.waits) this.wait();
    if (this.waits && history === this.history) return;
    this.history = history;
    this.step = step;
  }

  private wait(): void {
    this.waits = true;
    // A timer that is set while a frame is made runs after it.
    requestAnimationFrame(() =>
      setTimeout(() => {
        this.waits = false;
        this.host.requestUpdate();
      }),
    );
  }
}
