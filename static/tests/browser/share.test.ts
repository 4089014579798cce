import { readFileSync } from "node:fs";
import type { Browser, Download } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Trace } from "../../src/trace/types";
import { Elsewhere } from "./elsewhere";
import { freshContext, LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

async function openSheet(lesson: LessonPage) {
  await lesson.page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = lesson.page.getByRole("dialog", { name: "Share" });
  await dialog.waitFor();
  return dialog;
}

async function taken(lesson: LessonPage, name: string): Promise<Download> {
  const download = lesson.page.waitForEvent("download");
  await lesson.page.getByRole("button", { name }).click();
  return download;
}

test.each(["light", "dark"] as const)(
  "a run is shared as a link, a frame and files, in the %s theme",
  async (colorScheme) => {
    const lesson = await LessonPage.open(browser, { colorScheme });
    await lesson.run();
    await lesson.press("End");
    const steps = await lesson.stepCount();
    const dialog = await openSheet(lesson);
    const link = await dialog.getByRole("textbox", { name: "Link to this step" }).inputValue();
    expect(link).toContain(`step=${steps}`);
    expect(link).toContain("code=");
    await lesson.expectAccessible("the share sheet");

    const trace = JSON.parse(readFileSync(await (await taken(lesson, "Trace, JSON")).path(), "utf-8")) as Trace;
    expect(trace.steps).toHaveLength(steps);
    const svg = readFileSync(await (await taken(lesson, "Picture, SVG")).path(), "utf-8");
    expect(svg).toContain("AccumulateGrad");
    expect(svg).toContain(`${steps} of ${steps}: The run is over.`);
    const png = readFileSync(await (await taken(lesson, "Picture, PNG")).path());
    const size = [png.readUInt32BE(16), png.readUInt32BE(20)];
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
    expect(size).toEqual([2 * Number(width), 2 * Number(height)]);
    // Nothing of the drawing stays on the page.
    expect(await lesson.page.locator("backplay-stage").count()).toBe(1);
    await lesson.close();
  },
);

test("the code of a frame, pasted twice into a page elsewhere, plays the run from its step, each frame as high as it asks", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.run();
  await lesson.press("b");
  const at = await lesson.slider().inputValue();
  const dialog = await openSheet(lesson);
  const code = await dialog.getByRole("textbox", { name: "Code to embed it in a page" }).inputValue();
  await lesson.close();
  expect(code).toContain(`src="${inject("address")}embed#`);
  // The second one is narrow, and so higher.
  const around = `<!doctype html><title>around</title><link rel="icon" href="data:,">${code}<div style="width: 390px">${code}</div>`;
  const elsewhere = await Elsewhere.open({
    "/": (response) => response.setHeader("Content-Type", "text/html").end(around),
  });
  const context = await freshContext(browser, { viewport: { width: 1440, height: 3000 }, reducedMotion: "reduce" });
  try {
    const page = await context.newPage();
    await page.goto(elsewhere.address);
    for (const index of [0, 1]) {
      const frame = page.locator("iframe").nth(index).contentFrame();
      await frame.locator("backplay-stage .card").first().waitFor();
      await expect.poll(() => frame.getByRole("slider", { name: "Step" }).inputValue()).toBe(at);
      const asked = () => frame.locator("body").evaluate((body) => Math.ceil(body.scrollHeight));
      const given = () =>
        page
          .locator("iframe")
          .nth(index)
          .evaluate((each) => each.clientHeight);
      await expect.poll(async () => (await given()) - (await asked())).toBe(0);
      expect(await given()).not.toBe(640);
    }
  } finally {
    await context.close();
    elsewhere.close();
  }
});

test("presenting fills the screen with the player, in larger letters, and a key leads back", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.page.locator("backplay-stage svg").waitFor();
  const letters = () =>
    lesson.page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize));
  const presents = () => lesson.page.evaluate(() => document.fullscreenElement?.localName ?? "");
  const before = await letters();
  await lesson.page.locator("backplay-player div.frame").focus();
  await lesson.page.keyboard.press("m");
  await expect.poll(presents).toBe("backplay-player");
  await expect.poll(letters).toBeCloseTo(1.25 * before);
  await lesson.expectAccessible("presenting");
  await lesson.page.keyboard.press("m");
  await expect.poll(presents).toBe("");
  await expect.poll(letters).toBe(before);
  await lesson.close();
});
