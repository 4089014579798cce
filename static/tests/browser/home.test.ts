import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

const stepOf = async (lesson: LessonPage): Promise<number> => Number(await lesson.slider().inputValue());

/** The cumulative layout shift as the Web Vitals define it: the worst burst, of at most 5 s and without a pause of 1 s. */
const layoutShift = (lesson: LessonPage): Promise<number> =>
  lesson.page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const bursts: { start: number; end: number; sum: number }[] = [];
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const burst = bursts.at(-1);
            const { startTime, value } = entry as PerformanceEntry & { value: number };
            if (burst && startTime - burst.end < 1000 && startTime - burst.start < 5000) {
              burst.end = startTime;
              burst.sum += value;
            } else bursts.push({ start: startTime, end: startTime, sum: value });
          }
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(Math.max(0, ...bursts.map(({ sum }) => sum))), 500);
      }),
  );

describe.each([
  [1440, 900],
  [390, 844],
])("the front page at %i × %i", (width, height) => {
  test("plays by itself without a voice and without shifting the page, until it is paused", async () => {
    const lesson = await LessonPage.open(browser, { viewport: { width, height }, reducedMotion: "no-preference" }, "");
    await lesson.page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    const first = await stepOf(lesson);
    expect(first).toBeGreaterThan(0);
    await expect.poll(() => stepOf(lesson)).toBeGreaterThan(first + 1);
    expect(await lesson.announced()).toBe("");
    // At once: on a busy machine it might come to its end.
    await lesson.page.getByRole("button", { name: "Pause", exact: true }).click();
    expect(await layoutShift(lesson)).toBeLessThan(0.05);
    const paused = await stepOf(lesson);
    await lesson.page.waitForTimeout(1800);
    expect(await stepOf(lesson)).toBe(paused);
    await lesson.close();
  });

  test("shows who wants less motion the step where gradients meet, at rest", async () => {
    const lesson = await LessonPage.open(browser, { viewport: { width, height } }, "");
    await lesson.page.locator("backplay-stage .callout").waitFor();
    expect(await lesson.page.locator("backplay-stage .callout").textContent()).toMatch(/1\s*\+ 4\s*= 5/);
    expect(await lesson.page.getByRole("button", { name: "Pause", exact: true }).count()).toBe(0);
    await lesson.expectAccessible("the front page");
    await lesson.close();
  });
});

test.each([
  [375, 667],
  [360, 740],
  [390, 844],
])("on a phone of %i × %i the whole graph of the front page stands above the controls", async (width, height) => {
  const phone = { viewport: { width, height }, hasTouch: true, isMobile: true };
  const lesson = await LessonPage.open(browser, phone, "");
  await lesson.page.locator("backplay-stage .callout").waitFor();
  const bottom = (await lesson.page.locator("backplay-controls").boundingBox())?.y ?? 0;
  const cards = await lesson.page.locator("backplay-stage .card .outline").all();
  expect(cards.length).toBe(4);
  for (const card of cards) {
    const box = await card.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(bottom);
  }
  await lesson.close();
});

test("a link to a step of the front page shows that step and stays there", async () => {
  const lesson = await LessonPage.open(browser, { reducedMotion: "no-preference" }, "#step=9");
  await lesson.page.locator("backplay-stage .card").first().waitFor();
  await lesson.page.waitForTimeout(1800);
  expect(await stepOf(lesson)).toBe(8);
  await lesson.close();
});
