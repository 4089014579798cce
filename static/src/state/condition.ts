import type { Step, Value } from "../trace/types";
import { bindingOf, tensorGradient, tensorValue } from "./frame";
import type { History } from "./history";

/** What playing may halt for: `loss < 0.1`, `a.grad > 3`, `|w.grad| > 100`, `loss is nan`, `step node_ran`. */
export type Condition =
  | Comparison
  | { readonly kind: "nan"; readonly of: Place }
  | { readonly kind: "step"; readonly step: string };

interface Comparison {
  readonly kind: "compare";
  readonly of: Place;
  readonly absolute: boolean;
  readonly operator: Operator;
  readonly number: number;
}

/** A name of the snippet, or its `.grad`. */
export interface Place {
  readonly name: string;
  readonly gradient: boolean;
}

export type Operator = "<" | "<=" | ">" | ">=" | "==" | "!=";

/** Whether a condition holds at a step; for a tensor of many elements, whether it holds for any of them. */
export function holds(history: History, condition: Condition, step: number): boolean {
  if (condition.kind === "step") return history.trace.steps[step]?.kind === (condition.step as Step["kind"]);
  const value = valueAt(history, condition.of, step);
  if (!value) return false;
  if (condition.kind === "nan") return value.nan > 0;
  const test = COMPARE[condition.operator];
  return numbersOf(value).some((each) => test(condition.absolute ? Math.abs(each) : each, condition.number));
}

/** The first step from `first` to `last` at which a condition begins to hold. */
export function beginsWithin(history: History, condition: Condition, first: number, last: number): number | null {
  let before = first > 0 && condition.kind !== "step" && holds(history, condition, first - 1);
  for (let step = first; step <= last; step++) {
    const now = holds(history, condition, step);
    if (now && (!before || condition.kind === "step")) return step;
    before = now;
  }
  return null;
}

function valueAt(history: History, { name, gradient }: Place, step: number): Value | null {
  const tensor = bindingOf(history, name, step)?.tensor ?? null;
  if (tensor === null) return null;
  const slot = gradient ? tensorGradient(history, tensor, step) : tensorValue(history, tensor, step);
  return slot.state === "value" ? slot.value : null;
}

/** All elements while the trace has them, else the least and the greatest. */
function numbersOf(value: Value): number[] {
  return (value.data ?? [value.low, value.high]).flatMap((each) => (each === null ? [] : [Number(each)]));
}

const COMPARE: Readonly<Record<Operator, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};
