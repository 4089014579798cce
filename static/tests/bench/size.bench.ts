import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { foldParts } from "../../src/layout/fold";
import { partsClosed, planOverview } from "../../src/layout/overview";
import { layOutGraph, wholeGraph } from "../../src/layout/scene";
import { LessonPage, launch } from "../browser/page";
import { madeLoop } from "../fixtures/made";

/**
 * Figures of size, to read and to compare within one run on one machine: no gates. Loops of ten operations a turn with
 * 100, 1,000 and 3,000 nodes, and one long enough for 50,000 events.
 */

const OPERATIONS = 10;
const STEPS = 60;
const LARGE = 1150;

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("figures", { timeout: 300_000 }, async () => {
  const rows = [];
  for (const turns of [10, 100, 300, LARGE]) rows.push(await measure(turns));
  console.table(rows);
});

async function measure(turns: number) {
  const trace = madeLoop(turns, OPERATIONS);
  const layout = layoutTime(trace);
  const lesson = await LessonPage.open(browser, { reducedMotion: "no-preference" }, "play");
  const { page } = lesson;
  await page.route("**/api/runs", (route) => route.fulfill({ json: trace }));
  await page.getByRole("button", { name: "Run" }).click();
  await page.waitForFunction(
    () =>
      (document.querySelector("backplay-player")?.shadowRoot?.querySelectorAll(".frame:not(.busy)").length ?? 0) > 0,
  );
  const events = trace.steps.length;
  const strided = Array.from({ length: STEPS }, (_, i) => (i * 7919) % events);
  const inOrder = Array.from({ length: STEPS }, (_, i) => (events >> 1) + i);
  const figures = {
    nodes: trace.nodes.length,
    events,
    "layout, ms of processor": layout,
    "step ms": await timeSeeks(page, inOrder),
    "seek ms": await timeSeeks(page, strided),
    "frame ms": await timeFrames(page),
  };
  await lesson.page.context().close();
  return figures;
}

function layoutTime(trace: ReturnType<typeof madeLoop>): string {
  // Processor time: the machine may be busy with other things.
  const start = process.cpuUsage();
  const graph = wholeGraph(trace);
  const overview = planOverview(trace, graph);
  const prepared = process.cpuUsage(start);
  const chapter = overview?.chapters[overview.open[trace.steps.length >> 1] ?? -1];
  layOutGraph(trace, foldParts(graph, partsClosed(graph.parts, chapter, new Map(), overview !== null)), 1.6);
  const all = process.cpuUsage(start);
  const [once, both] = [prepared, all].map(({ user, system }) => (user + system) / 1000);
  return `${once?.toFixed(0)} once, ${((both ?? 0) - (once ?? 0)).toFixed(0)} each`;
}

/** From asking for a step until everything of it is in the document. */
function timeSeeks(page: Page, steps: readonly number[]): Promise<string> {
  return page.evaluate(async (wanted) => {
    const player = document.querySelector("backplay-player") as unknown as {
      shadowRoot: ShadowRoot;
      updateComplete: Promise<unknown>;
    };
    const [controls, stage] = ["backplay-controls", "backplay-stage"].map((name) =>
      player.shadowRoot.querySelector(name),
    ) as unknown as [HTMLElement, { updateComplete: Promise<unknown> }];
    const times: number[] = [];
    for (const step of wanted) {
      const start = performance.now();
      controls.dispatchEvent(new CustomEvent("seek", { detail: step }));
      await player.updateComplete;
      await stage.updateComplete;
      times.push(performance.now() - start);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    times.sort((a, b) => a - b);
    return `${times[times.length >> 1]?.toFixed(1)} median, ${times.at(-1)?.toFixed(1)} worst`;
  }, steps);
}

/** Time between frames while playing at full speed. */
async function timeFrames(page: Page): Promise<string> {
  for (let i = 0; i < 3; i++) await page.keyboard.press("+");
  await page.getByRole("button", { name: "Play", exact: true }).click();
  return page.evaluate(async () => {
    const times: number[] = [];
    let before = performance.now();
    while (times.length < 150) {
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      times.push(now - before);
      before = now;
    }
    times.sort((a, b) => a - b);
    return `${times[times.length >> 1]?.toFixed(1)} median, ${times[Math.floor(times.length * 0.95)]?.toFixed(1)} at 95 %`;
  });
}
