import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Trace } from "../../src/trace/types";
import { madeFlat, madeLoop } from "../fixtures/made";
import { LessonPage, launch } from "./page";
import { timeSeeks } from "./seeks";

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

/** A frame at 60 Hz, in milliseconds. */
const FRAME = 16;

/** Plays a made trace, as if the service had sent it. */
async function play(trace: Trace): Promise<LessonPage> {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.page.route("**/api/runs", (route) => route.fulfill({ json: trace }));
  await lesson.run();
  await lesson.page.locator("backplay-stage svg").waitFor();
  return lesson;
}

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

test.each([
  ["a loop of 60,000 events", madeLoop(1150, 10)],
  ["3,000 operations in a loop", madeLoop(300, 10)],
  ["3,000 operations without a loop", madeFlat(3000, 5)],
])("any step of %s is on the page within a frame, opening another chapter too", async (name, trace) => {
  const lesson = await play(trace);
  const count = trace.steps.length;
  // A prime stride visits far-apart steps in a fixed order, forwards and back.
  const { median, worst } = await timeSeeks(
    lesson.page,
    Array.from({ length: 40 }, (_, i) => (i * 7919) % count),
  );
  console.log(`seeks in ${name}: median ${median.toFixed(1)} ms, worst ${worst.toFixed(1)} ms`);
  expect(median).toBeLessThanOrEqual(FRAME);
  expect(worst).toBeLessThanOrEqual(FRAME);
  await lesson.close();
});

test("a weight that 1,150 passes add to can be looked at while its run is scrubbed", async () => {
  const trace = madeLoop(1150, 10);
  const lesson = await play(trace);
  await lesson.press("w");
  await lesson.page.locator("backplay-inspector h3").waitFor();
  const count = trace.steps.length;
  const { median } = await timeSeeks(
    lesson.page,
    Array.from({ length: 40 }, (_, i) => (i * 7919) % count),
  );
  console.log(`seeks with the inspector open: median ${median.toFixed(1)} ms`);
  expect(median).toBeLessThanOrEqual(FRAME);
  await lesson.press("End");
  expect(await lesson.page.locator("backplay-inspector .ledger li").count()).toBe(20);
  await lesson.page.getByText("1,130 more before these").waitFor();
  await lesson.close();
});
