import { describe, expect, test } from "vitest";
import { beginsWithin, holds } from "../../src/state/condition";
import { ConditionError, parseCondition } from "../../src/state/condition-text";
import { buildHistory } from "../../src/state/history";
import { loadTrace } from "../fixtures/load";

const history = buildHistory(loadTrace("dynamic-computation-graph"));
const last = history.trace.steps.length - 1;
const first = (text: string): number | null => beginsWithin(history, parseCondition(text), 0, last);
const kindAt = (step: number | null) => (step === null ? null : history.trace.steps[step]?.kind);

describe.each([
  ["a.grad > 3", "gradient_stored"],
  ["a.grad == 5", "gradient_stored"],
  ["c >= 12", "name_bound"],
  ["|b| > 3.5", "name_bound"],
  ["step node_ran", "node_ran"],
])("%s", (text, kind) => {
  test("begins to hold at the step that makes it true, and not before", () => {
    const step = first(text);
    expect(kindAt(step)).toBe(kind);
    if (!text.startsWith("step")) expect(holds(history, parseCondition(text), (step ?? 0) - 1)).toBe(false);
  });
});

test.each(["a.grad > 5", "a.grad is nan", "nobody > 1", "step no_such_kind"])("%s never holds", (text) => {
  expect(first(text)).toBeNull();
});

test.each(["", "a.grad", "a >", "3 > a", "|a > 3", "a.grad > x", "import os"])(
  "“%s” is refused with examples",
  (text) => {
    expect(() => parseCondition(text)).toThrow(ConditionError);
    expect(() => parseCondition(text)).toThrow(/a\.grad|name/);
  },
);
