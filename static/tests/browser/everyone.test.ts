import type { Browser, CDPSession } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { DOES } from "../../src/panels/key-words";
import { LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

const look = (lesson: LessonPage) =>
  lesson.page.locator("backplay-stage .world").evaluate((world) => (world as SVGElement).style.transform);

test("the sheet lists every key; Escape closes it and the keys go on working", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  await lesson.press("?");
  const sheet = lesson.page.locator("backplay-keys dialog");
  await sheet.locator("dd").first().waitFor();
  const listed = await sheet.locator("dd").allInnerTexts();
  for (const does of Object.values(DOES)) expect(listed).toContain(does);
  await lesson.press("Escape");
  await sheet.waitFor({ state: "hidden" });
  await lesson.press("ArrowRight");
  expect(await lesson.announced()).toMatch(/^Step 2\./);
  await lesson.close();
});

test("everything that can be pressed is reached by Tab and shows that it is", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.run();
  await lesson.page.locator("backplay-player div.frame").focus();
  const reached = new Set<string>();
  for (let i = 0; i < 120; i++) {
    await lesson.press("Tab");
    const at = await lesson.page.evaluate(() => {
      let active = document.activeElement;
      while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      if (!active || active === document.body) return null;
      const target = active.matches("input[type=radio]") ? active.closest("label") : active;
      const { outlineStyle, outlineWidth } = getComputedStyle(target ?? active);
      const name = (active.getAttribute("aria-label") ?? active.textContent ?? "").trim().slice(0, 40);
      return {
        name: `${active.tagName}.${active.className} ${name}`,
        shows: outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2,
      };
    });
    if (!at) break;
    expect(at.shows, `${at.name} must show its focus`).toBe(true);
    if (reached.has(at.name) && at.name === "Examples") break;
    reached.add(at.name);
  }
  for (const name of [
    "Examples",
    "Share",
    "Compare",
    "Edit",
    "Run",
    "Breakpoint on line 1",
    "Follow",
    "Zoom in",
    "Zoom out",
    "Fit the graph",
    "Variables",
    "First step",
    "Step back",
    "Play",
    "Step forward",
    "Last step",
    "Step",
    "Predict",
    "Keys and help",
  ])
    expect(
      [...reached].some((each) => each === name || each.endsWith(name)),
      name,
    ).toBe(true);
  await lesson.close();
});

test("what a step is about is chosen by key, and the inspector tells it", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  await lesson.press("b");
  await lesson.press("w");
  expect(await lesson.text("backplay-inspector h3")).toBe("d");
  await lesson.close();
});

test("who asked for less motion sees no travel, and each step complete at once", async () => {
  const lesson = await LessonPage.open(browser, { reducedMotion: "reduce" });
  await lesson.run();
  while ((await lesson.page.locator("backplay-stage .message.fresh").count()) === 0) await lesson.press("ArrowRight");
  const moved = await lesson.page.evaluate(async () => {
    const stage = document.querySelector("backplay-player")?.shadowRoot?.querySelector("backplay-stage")?.shadowRoot;
    const seen = new Set<string | null | undefined>();
    for (let frame = 0; frame < 20; frame++) {
      seen.add(stage?.querySelector(".message.fresh")?.getAttribute("transform"));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return { places: seen.size, glide: getComputedStyle(stage?.querySelector(".world") as Element).transitionDuration };
  });
  expect(moved).toEqual({ places: 1, glide: "0s" });
  await lesson.close();
});

/** Fingers at places on the stage, moved step by step. */
async function fingers(session: CDPSession, paths: readonly (readonly { x: number; y: number }[])[]): Promise<void> {
  const at = (step: number) => paths.map((path, id) => ({ ...(path[step] ?? { x: 0, y: 0 }), id }));
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
  for (let step = 1; step < (paths[0]?.length ?? 0); step++)
    await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(step) });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

test("two fingers zoom, one moves sideways, a tap chooses", async () => {
  const lesson = await LessonPage.open(browser, {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
  });
  await lesson.run();
  await lesson.slider().press("End");
  const stage = lesson.page.locator("backplay-stage");
  await stage.scrollIntoViewIfNeeded();
  const box = await stage.boundingBox();
  if (!box) throw new Error("the stage has no box");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const session = await lesson.page.context().newCDPSession(lesson.page);
  const scale = async () => Number(/scale\(([\d.]+)\)/.exec(await look(lesson))?.[1]);
  const before = await scale();
  const steps = [20, 40, 60, 80];
  await fingers(session, [steps.map((d) => ({ x: x - d, y })), steps.map((d) => ({ x: x + d, y }))]);
  await expect.poll(scale).toBeGreaterThan(before * 1.5);
  const zoomed = await look(lesson);
  await fingers(session, [[0, 15, 30, 60].map((d) => ({ x: x + d, y }))]);
  await expect.poll(() => look(lesson)).not.toBe(zoomed);
  await lesson.press("f");
  await lesson.page.locator("backplay-stage .card.leaf .title").first().tap();
  await lesson.page.locator("backplay-inspector h3").waitFor();
  await lesson.close();
});

describe.each([
  // A window of 1280 × 1024 at 400 %.
  [320, 256],
  [360, 740],
  [768, 1024],
  [1280, 720],
  [1920, 1080],
  [3840, 2160],
])("at %i × %i", (width, height) => {
  test.each(["", "play", "lessons", "lessons/gradients-accumulate", "embed?lesson=dynamic-computation-graph"])(
    "/%s has nothing that spills over the side",
    async (path) => {
      const lesson = await LessonPage.open(browser, { viewport: { width, height } });
      await lesson.page.goto(inject("address") + path);
      const over = await lesson.page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(over).toBe(0);
      await lesson.close();
    },
  );
});

test("no page shifts while it loads", async () => {
  for (const path of ["", "play", "lessons/gradients-accumulate", "embed?lesson=dynamic-computation-graph"]) {
    const lesson = await LessonPage.open(browser, { viewport: { width: 390, height: 844 } }, path);
    await lesson.page.waitForLoadState("networkidle");
    const shift = await lesson.page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) sum += entry.value;
          }).observe({ type: "layout-shift", buffered: true });
          setTimeout(() => resolve(sum), 300);
        }),
    );
    expect(shift, path).toBeLessThan(0.02);
    await lesson.close();
  }
});
