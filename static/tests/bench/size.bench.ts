import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { foldParts } from "../../src/layout/fold";
import { partsClosed, planOverview } from "../../src/layout/overview";
import { layOutGraph, wholeGraph } from "../../src/layout/scene";
import type { Trace } from "../../src/trace/types";
import { LessonPage, launch } from "../browser/page";
import { type Times, timeSeeks } from "../browser/seeks";
import { madeFlat, madeLoop } from "../fixtures/made";

/**
 * Figures of size, to read and to compare within one run on one machine: no gates. Loops of ten operations a turn with
 * 100, 1,000 and 3,000 nodes, one long enough for 50,000 events, and 3,000 operations without any loop.
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
  for (const turns of [10, 100, 300, LARGE]) rows.push(await measure(`${turns} turns`, madeLoop(turns, OPERATIONS)));
  rows.push(await measure("no loop", madeFlat(3000, 5)));
  console.table(rows);
});

async function measure(program: string, trace: Trace) {
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
    program,
    nodes: trace.nodes.length,
    events,
    "layout, ms of processor": layout,
    "step ms": told(await timeSeeks(page, inOrder)),
    "seek ms": told(await timeSeeks(page, strided)),
    "frame ms": await timeFrames(page),
  };
  await lesson.page.context().close();
  return figures;
}

function layoutTime(trace: Trace): string {
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

const told = ({ median, worst }: Times): string => `${median.toFixed(1)} median, ${worst.toFixed(1)} worst`;

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
