import type { History } from "./history";

/** What playing may halt for besides lines: tells the first step from `first` to `last` at which it begins, or null. */
export type Halt = (history: History, first: number, last: number) => number | null;

/** Where time halts: on marked lines, when conditions begin to hold, and where the snippet says `breakpoint()`. */
export class Stops {
  readonly lines = new Set<number>();
  /** By what the person wrote; what a condition can say is not this file's to know. */
  readonly conditions = new Map<string, Halt>();
  /** Counts changes. */
  version = 0;

  constructor(private readonly changed: () => void) {}

  get isEmpty(): boolean {
    return this.lines.size === 0 && this.conditions.size === 0;
  }

  toggleLine(line: number): void {
    if (!this.lines.delete(line)) this.lines.add(line);
    this.tell();
  }

  addCondition(text: string, halt: Halt): void {
    this.conditions.set(text, halt);
    this.tell();
  }

  removeCondition(text: string): void {
    this.conditions.delete(text);
    this.tell();
  }

  /** The first stop from `first` to `last`, or null. */
  within(history: History, first: number, last: number): number | null {
    let end = last;
    let found: number | null = null;
    for (const halt of this.conditions.values()) {
      const step = halt(history, first, end);
      if (step !== null) [found, end] = [step, step - 1];
    }
    for (let step = first; step <= end; step++) {
      const event = history.trace.steps[step];
      if (event?.kind === "bookmark") return step;
      if (event?.kind === "line" && event.span && this.lines.has(event.span.line)) return step;
    }
    return found;
  }

  private tell(): void {
    this.version++;
    this.changed();
  }
}
