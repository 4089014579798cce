import { expect, test } from "vitest";
import { codeFromHash, hashWithCode } from "../../src/state/packed";

const CODE = "import torch\nx = torch.tensor([1.0, 2.0])  # ∂ ü 🔥\n".repeat(40);

test("code goes into an address and comes back whole, beside the step", async () => {
  const hash = await hashWithCode("#step=12", CODE);
  expect(hash).toMatch(/^#[\w=&-]+$/);
  expect(hash.length).toBeLessThan(CODE.length / 5);
  expect(await codeFromHash(hash)).toBe(CODE);
  expect(hash).toContain("step=12");
  expect(await hashWithCode(hash, null)).toBe("#step=12");
});

test("an address without code, or with half of it, has none", async () => {
  expect(await codeFromHash("#step=3")).toBeNull();
  const hash = await hashWithCode("", CODE);
  expect(await codeFromHash(hash.slice(0, -30))).toBeNull();
  expect(await codeFromHash("#code=%20%20")).toBeNull();
});
