import type { Span, Trace } from "../trace/types";

/** What went wrong, or may, at a piece of source: the error that ended the run, and every warning on the way. */
export interface Flag {
  readonly kind: "error" | "warning";
  readonly message: string;
  readonly span: Span;
}

/** Each once, however often its line ran; the error first. */
export function flagsOf({ outcome, steps }: Trace): Flag[] {
  const flags = new Map<string, Flag>();
  const add = (kind: Flag["kind"], message: string, span: Span | null): void => {
    if (span) flags.set(`${kind} ${span.line} ${message}`, { kind, message, span });
  };
  if (outcome.status !== "ok") add("error", `${outcome.error ?? "Stopped"}: ${outcome.message}`, outcome.span);
  for (const step of steps) {
    if (step.kind === "warned") add("warning", `${step.category}: ${step.message}`, step.span);
    if (step.warning !== null) add("warning", step.warning, step.span);
  }
  return [...flags.values()];
}

export function flagsByLine(trace: Trace): Map<number, Flag[]> {
  const lines = new Map<number, Flag[]>();
  for (const flag of flagsOf(trace)) lines.set(flag.span.line, [...(lines.get(flag.span.line) ?? []), flag]);
  return lines;
}
