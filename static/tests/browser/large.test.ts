import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

/** 300 operations on 100 lines, with no loop, module or call around them. */
const FLAT = [
  "import torch",
  "w = torch.tensor(0.9, requires_grad=True)",
  "y = torch.tensor(1.0)",
  ...Array.from({ length: 100 }, (_, i) => `y = y * w + ${i} - w`),
  "y.backward()",
  "",
].join("\n");

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

const titles = (lesson: LessonPage) => lesson.page.locator("backplay-stage .card.group .title").allTextContents();
const openLines = (lesson: LessonPage) => lesson.page.locator("backplay-stage .part-title").allTextContents();
const countCards = (lesson: LessonPage) => lesson.page.locator("backplay-stage .card").count();

test("a long program without loops folds into stretches of lines and opens the one where the action is", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(FLAT);
  await lesson.page.locator('backplay-code li[data-line="50"] .line').click();
  expect(await openLines(lesson)).toEqual(["lines 48–51"]);
  expect(await titles(lesson)).toEqual(["lines 4–47"]);
  expect(await countCards(lesson)).toBeLessThan(20);
  // Backward runs the same stretches from the end.
  await lesson.press("b");
  expect(await openLines(lesson)).toEqual(["lines 100–103"]);
  await lesson.press("End");
  await expect.poll(() => openLines(lesson)).toEqual(["lines 4–7"]);
  await lesson.press("f");
  expect(await titles(lesson)).toEqual(["lines 8–103"]);
  await lesson.expectAccessible("a folded long program");
  // On demand any of them opens: first the run comes apart, then one of its stretches opens.
  await lesson.page.locator("backplay-stage .card.group").click();
  await expect.poll(async () => (await titles(lesson)).length).toBeGreaterThan(1);
  await lesson.close();
});
