import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { LessonPage, launch } from "./page";

const LESSON = "lessons/gradients-accumulate";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

const answer = (page: Page, question: number, choice: number): Promise<void> =>
  page.locator("backplay-question").nth(question).locator(".choice").nth(choice).click();

test("a wrong choice shows the step that refutes it", async () => {
  const lesson = await LessonPage.open(browser, {}, LESSON);
  await answer(lesson.page, 0, 0);
  await lesson.page.getByRole("button", { name: "Show the step" }).click();
  await expect.poll(() => lesson.announced()).toMatch(/w\.grad: 8 \+ 18 = 26/);
  await lesson.expectAccessible("a lesson with an answer");
  await lesson.close();
});

test("the step is shown even when other code is in the player", async () => {
  const lesson = await LessonPage.open(browser, {}, LESSON);
  await lesson.runCode("import torch\nprint(torch.tensor(2.0))\n");
  await answer(lesson.page, 0, 0);
  await lesson.page.getByRole("button", { name: "Show the step" }).click();
  await expect.poll(() => lesson.announced()).toMatch(/w\.grad: 8 \+ 18 = 26/);
  await lesson.close();
});

test("a suggested change runs in the player", async () => {
  const lesson = await LessonPage.open(browser, {}, LESSON);
  const played = lesson.page.waitForResponse((response) => response.url().endsWith("/api/runs"));
  await lesson.page.getByRole("button", { name: "Run this change, number 1" }).click();
  await played;
  await lesson.page.locator("backplay-player div.frame:not(.busy)").waitFor();
  await lesson.press("End");
  await expect.poll(() => lesson.text("backplay-output pre")).toContain("44.0");
  await lesson.close();
});

test("progress survives, shows in the list, and is exported with every answer", async () => {
  const lesson = await LessonPage.open(browser, {}, LESSON);
  const { page } = lesson;
  await answer(page, 0, 0);
  await answer(page, 0, 1);
  await answer(page, 1, 0);
  await lesson.slider().press("End");
  await page.reload();
  await page.locator("backplay-question .why").first().waitFor();
  await expect.poll(() => page.locator("backplay-question .why").count()).toBe(3);
  await page.getByRole("link", { name: "Lessons", exact: true }).click();
  await page.getByText("played · 2 of 2 right").waitFor();
  await lesson.expectAccessible("the list of lessons");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download my answers (JSON)" }).click();
  const kept = JSON.parse(readFileSync(await (await download).path(), "utf-8")) as {
    lessons: Record<string, { right: number; atOnce: number; answers: { chosen: { text: string }[] }[] }>;
  };
  expect(kept.lessons["gradients-accumulate"]).toMatchObject({ right: 2, atOnce: 1 });
  expect(kept.lessons["gradients-accumulate"]?.answers[0]?.chosen.map(({ text }) => text)).toEqual(["18", "26"]);
  await lesson.close();
});

test("a hint rules out one wrong choice, tells why, and leaves one to be tempted by", async () => {
  const lesson = await LessonPage.open(browser, {}, LESSON);
  const card = lesson.page.locator("backplay-question").first();
  const hint = card.getByRole("button", { name: "Hint: rule one out" });
  await hint.click();
  await hint.click();
  await expect.poll(() => hint.count()).toBe(0);
  expect(await card.locator(".why").allInnerTexts()).toEqual([
    expect.stringMatching(/^Ruled out\. This is what the second pass brings/),
    expect.stringMatching(/^Ruled out\. /),
  ]);
  await lesson.page.reload();
  await card.locator(".why").nth(1).waitFor();
  await card.locator(".choice").nth(1).click();
  expect(await card.locator(".right .verdict").innerText()).toBe("Right.");
  await lesson.close();
});

test("what was foreseen in predict mode is kept with the lesson", async () => {
  const lesson = await LessonPage.open(browser, {}, LESSON);
  const { page } = lesson;
  await page.getByRole("button", { name: "Predict" }).click();
  const prediction = page.locator("backplay-prediction");
  while ((await prediction.count()) === 0) await lesson.press("ArrowRight");
  await prediction.locator(".choice").first().click();
  await page.goto(`${inject("address")}lessons`);
  await expect
    .poll(() => page.locator("backplay-answers span").innerText())
    .toMatch(/^0 right answers.* \d steps? foreseen/);
  await lesson.close();
});

test.each([
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
])("the list and a lesson are accessible and fit a window of $width", async (viewport) => {
  for (const colorScheme of ["light", "dark"] as const) {
    const lesson = await LessonPage.open(browser, { viewport, colorScheme }, LESSON);
    for (const path of [LESSON, "lessons"]) {
      if (path !== LESSON) await lesson.page.goto(inject("address") + path);
      await lesson.expectAccessible(path);
      const width = await lesson.page.evaluate(() => document.documentElement.scrollWidth);
      expect(width).toBeLessThanOrEqual(viewport.width);
    }
    await lesson.close();
  }
});
