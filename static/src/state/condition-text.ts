import type { Condition, Operator, Place } from "./condition";

export class ConditionError extends Error {}

const NAME = /^[\p{L}_][\p{L}\p{N}_.[\]]*$/u;
const COMPARISON = /^(\|?)\s*([^|<>=!\s]+)\s*(\|?)\s*(<=|>=|==|!=|<|>)\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;

/** Reads a condition. Throws `ConditionError`, which says what can be written. */
export function parseCondition(text: string): Condition {
  const words = text.trim();
  const kind = /^step\s+(\w+)$/.exec(words)?.[1];
  if (kind) return { kind: "step", step: kind };
  const nan = /^(\S+)\s+is\s+nan$/i.exec(words)?.[1];
  if (nan) return { kind: "nan", of: placeOf(nan) };
  const [, open, name, close, operator, number] = COMPARISON.exec(words) ?? [];
  if (!name || open !== close)
    throw new ConditionError(
      `“${words}” is no condition. Write for example a.grad > 3, |loss| < 0.1, loss is nan, step node_ran.`,
    );
  return {
    kind: "compare",
    of: placeOf(name),
    absolute: open === "|",
    operator: operator as Operator,
    number: Number(number),
  };
}

function placeOf(text: string): Place {
  const gradient = text.endsWith(".grad");
  const name = gradient ? text.slice(0, -".grad".length) : text;
  if (!NAME.test(name))
    throw new ConditionError(`“${name}” is no name. Write a variable of the snippet, or its .grad.`);
  return { name, gradient };
}
