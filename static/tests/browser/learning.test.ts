import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("what happens is told in large type, with the formula set as mathematics", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  const size = await lesson.page
    .locator("backplay-narration .now")
    .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
  expect(size).toBeGreaterThanOrEqual(18);
  const formula = lesson.page.locator("backplay-narration math");
  while ((await formula.count()) === 0) await lesson.press("ArrowRight");
  const box = await formula.first().boundingBox();
  expect(box?.height).toBeGreaterThan(10);
  expect(await formula.first().locator("mi, mn").count()).toBeGreaterThan(1);
  await lesson.expectAccessible("a formula");
  await lesson.close();
});

test("a lesson's text stands beside the stage, which stays in sight while the text is read", async () => {
  const lesson = await LessonPage.open(browser, {}, "lessons/gradients-accumulate");
  const stage = lesson.page.locator("backplay-stage");
  const text = await lesson.page.locator("article section p").first().boundingBox();
  const before = await stage.boundingBox();
  if (!text || !before) throw new Error("the lesson has no text or no stage");
  expect(text.x + text.width).toBeLessThanOrEqual(before.x);
  await lesson.page.locator("backplay-question").last().scrollIntoViewIfNeeded();
  expect((await stage.boundingBox())?.y).toBeGreaterThanOrEqual(0);
  expect(await lesson.page.evaluate(() => scrollY)).toBeGreaterThan(0);
  await lesson.close();
});

test.each(["light", "dark"] as const)("every other page is accessible in the %s theme", async (colorScheme) => {
  const lesson = await LessonPage.open(browser, { colorScheme });
  for (const path of ["", "lessons", "docs", "embed?lesson=dynamic-computation-graph"]) {
    await lesson.page.goto(inject("address") + path);
    if (await lesson.page.locator("backplay-player").count())
      await lesson.page.locator("backplay-player div.frame:not(.busy)").waitFor();
    await lesson.page.evaluate(() => document.fonts.ready);
    await lesson.expectAccessible(`/${path}`);
  }
  await lesson.close();
});
