import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

const CODE = `import torch

w = torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
x = torch.tensor([1.0, 2.0])
for _ in range(2):
    loss = torch.sigmoid(w @ x).sum() + (w ** 3).mean()
    loss.backward()
`;

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("finite differences agree with a gradient that two passes added up, and say so where nothing can be checked", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(CODE);
  await lesson.press("End");
  await lesson.page.locator("backplay-variables").getByRole("button", { name: "w", exact: true }).click();
  await lesson.page.getByRole("button", { name: "Check by finite differences" }).click();
  const rows = lesson.page.locator("backplay-check tbody tr");
  await rows.first().waitFor();
  expect(await rows.count()).toBe(3);
  for (const row of await rows.allInnerTexts()) expect(row).toContain("agrees");
  expect(await rows.first().innerText()).toMatch(/^w\[\d, \d\]/);
  await lesson.expectAccessible("a checked gradient");
  await lesson.runCode(`${CODE}with torch.no_grad():\n    w *= 2\n`);
  await lesson.press("End");
  await lesson.page.getByRole("tab", { name: "Variables" }).click();
  await lesson.page.locator("backplay-variables").getByRole("button", { name: "w", exact: true }).click();
  await lesson.page.getByRole("button", { name: "Check by finite differences" }).click();
  await lesson.page.getByText("Its value has changed since it was made").waitFor();
  await lesson.close();
});
