import { expect, test } from "vitest";

import { shortNumber } from "../../src/drawing/value";

test.each([
  [0.123456, "0.123"],
  [-0.38123, "−0.381"],
  [1234.5, "1235"],
  // Rounded to three digits it would read 123000, as if it were exact.
  [123456.789, "123457"],
  [-123456.789, "−1.2e5"],
  [1234567.8, "1.2e6"],
  [1000000, "1e6"],
  [4096, "4096"],
  [-1.2345e-7, "−1e−7"],
  [true, "true"],
  ["3-1j", "3−1j"],
])("in a cell %s reads %s", (element, text) => {
  expect(shortNumber(element)).toBe(text);
});
