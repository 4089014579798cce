import type { Span, Step, Trace } from "../trace/types";

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

/** Whether a step's columns hold any of a piece of source text. */
export function touches(code: string, span: Span, on: string, occurrence: number | null): boolean {
  const start = nthIndex(code, on, occurrence ?? 1);
  if (start === null) return false;
  const starts = lineStarts(code);
  const from = (starts[span.line - 1] ?? 0) + span.column;
  const to = (starts[span.end_line - 1] ?? 0) + span.end_column;
  return from < start + on.length && start < to;
}

/** The index of the step that a pointer means; null when the trace has none such. */
export function findStep(trace: Trace, pointer: Pointer): number | null {
  const fits = (step: Step): boolean =>
    step.kind === pointer.kind &&
    step.span !== null &&
    (pointer.of === "" || isAbout(trace, step, pointer.of)) &&
    touches(trace.code, step.span, pointer.on, pointer.occurrence);
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
