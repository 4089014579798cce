import type { Step, Trace } from "../trace/types";

/** A step of the trace, named so that it survives edits: the one of its kind that a piece of the snippet caused. */
export interface Pointer {
  /** The piece of source text. */
  readonly on: string;
  /** Which of several equal pieces of text, from 1; null when there is only one. */
  readonly occurrence: number | null;
  readonly kind: string;
  /** The label of the step's tensor, or the name of its node; empty for any. */
  readonly of: string;
  /** Which of the steps that fit, from 1. */
  readonly nth: number;
}

/** The index of the step that a pointer means; null when the trace has none such. */
export function findStep(trace: Trace, pointer: Pointer): number | null {
  const start = nthIndex(trace.code, pointer.on, pointer.occurrence ?? 1);
  if (start === null) return null;
  const end = start + pointer.on.length;
  const starts = lineStarts(trace.code);
  const fits = (step: Step): boolean => {
    if (step.kind !== pointer.kind || !step.span) return false;
    const from = (starts[step.span.line - 1] ?? 0) + step.span.column;
    const to = (starts[step.span.end_line - 1] ?? 0) + step.span.end_column;
    return from < end && start < to && (pointer.of === "" || isAbout(trace, step, pointer.of));
  };
  let left = pointer.nth;
  const found = trace.steps.findIndex((step) => fits(step) && --left === 0);
  return found < 0 ? null : found;
}

function isAbout(trace: Trace, step: Step, name: string): boolean {
  const tensor = "tensor" in step && typeof step.tensor === "number" ? trace.tensors[step.tensor]?.label : undefined;
  const node = "node" in step && typeof step.node === "number" ? trace.nodes[step.node]?.name : undefined;
  return tensor === name || node === name;
}

function nthIndex(text: string, piece: string, nth: number): number | null {
  let index = -1;
  for (let i = 0; i < nth; i++) {
    index = text.indexOf(piece, index + 1);
    if (index < 0) return null;
  }
  return index;
}

function lineStarts(code: string): number[] {
  const starts = [0];
  for (const line of code.split("\n")) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return starts;
}
