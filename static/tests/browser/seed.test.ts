import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Trace } from "../../src/trace/types";
import { LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

const spoken = (text: string): string => text.replaceAll("`", "");

async function traceOf(code: string): Promise<Trace> {
  const response = await fetch(`${inject("address")}api/runs`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  });
  return (await response.json()) as Trace;
}

async function shownCode(lesson: LessonPage): Promise<string> {
  return lesson.page.locator("backplay-player pre").evaluate((pre) => (pre.textContent ?? "").replace(/^\n+/, ""));
}

test("the seed lesson is walked by keyboard, forwards and back, and every step says its text", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  const { steps } = await traceOf(await shownCode(lesson));
  expect(await lesson.stepCount()).toBe(steps.length);
  const seen: string[][] = [];
  const heard: string[] = [];
  for (const [index, step] of steps.entries()) {
    expect(step.text).not.toBe("");
    expect(await lesson.announced()).toBe(`Step ${index + 1}. ${spoken(step.text)}`);
    expect(await lesson.text("backplay-narration .now")).toBe(spoken(step.text));
    heard.push(await lesson.announced());
    seen.push(await lesson.cards());
    await lesson.press("ArrowRight");
  }
  // What a screen reader says on the way, kept so that every change of it is read by somebody (`-u` writes it anew).
  await expect(`${heard.join("\n")}\n`).toMatchFileSnapshot("../golden/seed-transcript.txt");
  for (const [index, step] of [...steps.entries()].reverse().slice(1)) {
    await lesson.press("ArrowLeft");
    expect(await lesson.announced()).toBe(`Step ${index + 1}. ${spoken(step.text)}`);
    expect(await lesson.cards()).toEqual(seen[index]);
  }
  await lesson.close();
});

test("the graph grows one card at a time and never moves", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  const counts = new Set<number>();
  const places = new Map<string, string>();
  for (let step = 0; step < (await lesson.stepCount()); step++) {
    const cards = await lesson.page
      .locator("backplay-stage .card")
      .evaluateAll((all) =>
        all.map((card) => [card.getAttribute("data-card") ?? "", card.getAttribute("transform") ?? ""] as const),
      );
    counts.add(cards.length);
    for (const [card, place] of cards) expect(places.get(card) ?? place).toBe(place);
    for (const [card, place] of cards) places.set(card, place);
    await lesson.press("ArrowRight");
  }
  expect([...counts]).toEqual([0, 1, 2, 3, 4]);
  await lesson.close();
});

test("backward sends 1 and 1, then 4 and 3, adds 1 + 4 = 5, frees, fills leaves only, and prints", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  const steps = (await traceOf(await shownCode(lesson))).steps;
  const goTo = async (kind: string, nth = 0) => {
    const index = steps.map((step, i) => ({ step, i })).filter(({ step }) => step.kind === kind)[nth]?.i ?? -1;
    await lesson.page.evaluate((n) => {
      location.hash = `#step=${n}`;
    }, index + 1);
    await lesson.page.waitForFunction(
      (n) =>
        document
          .querySelector("backplay-player")
          ?.shadowRoot?.querySelector("[role=status]")
          ?.textContent?.startsWith(`Step ${n}.`),
      index + 1,
    );
  };
  const messages = () =>
    lesson.page
      .locator("backplay-stage .message")
      .evaluateAll((all) => all.map((each) => (each.textContent ?? "").replace(/\D/g, "")).sort());
  await goTo("tensor_saved", 1);
  expect(await lesson.page.locator("backplay-stage .badge.held").count()).toBe(2);
  await goTo("message_sent", 1);
  expect(await messages()).toEqual(["1", "1"]);
  await goTo("buffers_freed");
  expect(await lesson.page.locator("backplay-stage .badge.freed").count()).toBe(2);
  await goTo("message_sent", 3);
  expect(await messages()).toEqual(["1", "1", "3", "4"]);
  await goTo("messages_summed");
  expect(await lesson.page.locator("backplay-stage .callout").textContent()).toMatch(/1\s*\+ 4\s*= 5/);
  await goTo("printed");
  expect(await lesson.text("backplay-output pre")).toContain("5.0 3.0");
  const rows = await lesson.page.locator("backplay-variables tbody tr").allInnerTexts();
  expect(rows.map((row) => row.replace(/\s+/g, " ").trim())).toEqual([
    "a 3 5 why? leaf",
    "b 4 3 why? leaf",
    "c 12 None why? MulBackward0",
    "d 15 None why? AddBackward0",
  ]);
  await lesson.close();
});

test("before a name is bound it is not computed yet; a leaf's gradient is None; a number is a number", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  expect(await lesson.text("backplay-variables tbody tr")).toContain("not computed yet");
  for (let i = 0; i < 4; i++) await lesson.press("ArrowRight");
  expect(await lesson.text("backplay-variables tbody tr")).toContain("None");
  const look = () =>
    lesson.page
      .locator("backplay-stage .leaf .pill")
      .last()
      .evaluate((pill) => pill.getAttribute("class"));
  expect(await look()).toContain("none");
  await lesson.press("End");
  expect(await look()).toContain("sum");
  await lesson.close();
});

test("changing 4.0 to 7.0 changes every number", async () => {
  const lesson = await LessonPage.open(browser);
  const code = (await shownCode(lesson)).replace("4.0", "7.0");
  await lesson.runCode(code);
  await lesson.press("End");
  expect(await lesson.text("backplay-output pre")).toContain("8.0 3.0");
  const rows = await lesson.page.locator("backplay-variables tbody tr").allInnerTexts();
  expect(rows.map((row) => row.replace(/\s+/g, " ").trim())).toEqual([
    "a 3 8 why? leaf",
    "b 7 3 why? leaf",
    "c 21 None why? MulBackward0",
    "d 24 None why? AddBackward0",
  ]);
  expect((await traceOf(code)).steps.some((step) => step.kind === "messages_summed" && step.value.text === "8")).toBe(
    true,
  );
  await lesson.close();
});

test("changed code survives a reload and can be put back", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.runCode("import torch\nprint(torch.tensor(2.0) * 21)\n");
  await lesson.page.reload();
  await lesson.page.locator("backplay-code").waitFor();
  expect(await lesson.text("backplay-code ol")).toContain("* 21");
  await lesson.page.getByRole("button", { name: "Reset" }).click();
  expect(await lesson.text("backplay-code ol")).toContain("requires_grad=");
  await lesson.close();
});

test("the address follows the step and leads back to it", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  for (let i = 0; i < 7; i++) await lesson.press("ArrowRight");
  // Browsers refuse an address that is written at every step of a scrub.
  await expect.poll(() => new URL(lesson.page.url()).hash).toBe("#step=8");
  const before = await lesson.announced();
  await lesson.page.reload();
  await lesson.page.locator("backplay-stage .card").first().waitFor();
  expect(await lesson.announced()).toBe(before);
  await lesson.close();
});

test("the quick check tells by keyboard why each choice is right or wrong", async () => {
  const lesson = await LessonPage.open(browser);
  const choices = lesson.page.locator("backplay-question .choice");
  await expect.poll(() => choices.count()).toBe(4);
  await choices.first().focus();
  for (const key of ["1", "2", "3", "4"]) await lesson.press(key);
  const reasons = await lesson.texts("backplay-question .why", 4);
  expect(reasons).toHaveLength(4);
  expect(reasons.map((reason) => reason.startsWith("Right."))).toEqual([false, false, false, true]);
  for (const reason of reasons) expect(reason.length).toBeGreaterThan(30);
  await lesson.expectAccessible("an answered question");
  await lesson.close();
});

test("running from the editor's keys posts the snippet once", async () => {
  const lesson = await LessonPage.open(browser);
  const posts: string[] = [];
  lesson.page.on("request", (request) => {
    if (request.method() === "POST") posts.push(request.postData() ?? "");
  });
  await lesson.runCode("import torch\nprint(torch.tensor(1.0))\n");
  expect(posts).toEqual([JSON.stringify({ code: "import torch\nprint(torch.tensor(1.0))\n" })]);
  await lesson.close();
});

test("the columns of the variables stay where they are while values come and go", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  const places = () =>
    lesson.page
      .locator("backplay-variables th")
      .evaluateAll((heads) => heads.map((head) => Math.round(head.getBoundingClientRect().left)));
  await lesson.page.locator("backplay-variables th").first().waitFor();
  const before = await places();
  await lesson.press("End");
  expect(await places()).toEqual(before);
  await lesson.close();
});
