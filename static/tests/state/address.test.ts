import { expect, test } from "vitest";
import { hashWithStep, stepFromHash } from "../../src/state/address";

test("the step in the address counts from one", () => {
  expect(hashWithStep("", 0)).toBe("#step=1");
  expect(stepFromHash("#step=1")).toBe(0);
});

test("what else is in the address stays", () => {
  expect(hashWithStep("#theme=dark&step=3", 8)).toBe("#theme=dark&step=9");
});

test.each(["", "#step=", "#step=0", "#step=-1", "#step=x", "#step=1.5"])(
  "an address without a usable step (%s) names none",
  (hash) => {
    expect(stepFromHash(hash)).toBeNull();
  },
);
