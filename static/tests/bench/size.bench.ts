import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { foldParts } from "../../src/layout/fold";
import { partsClosed, planOverview } from "../../src/layout/overview";
import { wholeGraph } from "../../src/layout/scene";
import type { Trace } from "../../src/trace/types";
import { LessonPage, launch } from "../browser/page";
import { type Cost, costOfFixedWork, costsOfSeeks, quantile, shareOf } from "../browser/seeks";
import { layOutGraph } from "../fixtures/laid";
import { madeFlat, madeLoop } from "../fixtures/made";

/**
 * Figures of size. Loops of ten operations a turn with 100, 1,000 and 3,000 nodes, one long enough for 50,000 events, 3,000
 * operations without any loop, and a real training run at the engine's limit of steps.
 *
 * Seeks and steps are measured in processor time of the page's main thread, from the press until the frame is painted; `cold`: each to
 * a place that was never shown, `warm`: to the same places again, `first`: the very first one of a visit, at once or when the page
 * has rested for a while. They are gated, by their ratio to a fixed piece of work; frame times depend on the machine and are reported.
 */

const OPERATIONS = 10;
const SEEKS = 40;
const LARGE = 1150;
/** Milliseconds of processor time: a frame for a seek, three for a step among 3,000 nodes. */
const [SEEK, STEP] = [16, 50];
/** How long a page rests before a first seek, in milliseconds. */
const REST = 3000;
/** Visits whose first seek is measured at once: the middle one counts, for a collection of garbage may fall into any. */
const VISITS = 5;

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("figures", { timeout: 900_000 }, async () => {
  const rows = [];
  for (const turns of [10, 100, 300, LARGE]) rows.push(await measure(`${turns} turns`, madeLoop(turns, OPERATIONS)));
  rows.push(await measure("no loop", madeFlat(3000, 5)));
  rows.push(await measure("training", await played(TRAINING)));
  console.table(rows.map(({ shown }) => shown));
  for (const { shown, shares } of rows)
    for (const [what, share] of Object.entries(shares))
      expect(share, `${what} of ${shown.program}, as a share of its budget`).toBeLessThanOrEqual(1);
});

const TRAINING = `import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
for step in range(100):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
`;

/** The trace of a program, from the service. */
async function played(code: string): Promise<Trace> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${inject("address")}api/runs`, {
    method: "POST",
    headers,
    body: JSON.stringify({ code }),
  });
  return (await response.json()) as Trace;
}

async function open(trace: Trace): Promise<Page> {
  const { page } = await LessonPage.open(browser, { reducedMotion: "no-preference" }, "play");
  await page.route("**/api/runs", (route) => route.fulfill({ json: trace }));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator("backplay-player div.frame:not(.busy)").waitFor();
  return page;
}

async function measure(program: string, trace: Trace) {
  const layout = layoutTime(trace);
  const events = trace.steps.length;
  const strided = Array.from({ length: SEEKS }, (_, i) => ((i + 1) * 7919) % events);
  const inOrder = Array.from({ length: SEEKS }, (_, i) => (events >> 1) + i);
  const hurried: Cost[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const page = await open(trace);
    hurried.push(...(await costsOfSeeks(page, strided.slice(0, 1))));
    await page.context().close();
  }
  const page = await open(trace);
  const fixedWork = await costOfFixedWork(page);
  await page.waitForTimeout(REST);
  const cold = await costsOfSeeks(page, strided);
  const warm = await costsOfSeeks(page, strided);
  const steps = await costsOfSeeks(page, inOrder);
  const frames = await timeFrames(page);
  await page.context().close();
  return {
    shown: {
      program,
      nodes: trace.nodes.length,
      events,
      "layout, ms": layout,
      "first seek, ms": `at once ${spread(hurried)}; ${told(cold[0])} after a rest`,
      "cold seek, ms": spread(cold),
      "warm seek, ms": spread(warm),
      "step, ms": spread(steps),
      "between frames, ms": frames,
      "fixed work, ms": fixedWork.toFixed(1),
    },
    shares: {
      "seek at once": shareOf(SEEK, at(hurried, 0.5), fixedWork),
      "cold seek": shareOf(SEEK, at(cold, 0.95), fixedWork),
      "warm seek": shareOf(SEEK, at(warm, 0.95), fixedWork),
      step: shareOf(STEP, at(steps, 0.95), fixedWork),
    },
  };
}

/** The dearer one of the two frames that a seek may take. */
const dearer = ({ frame, next }: Cost): number => Math.max(frame, next);
const at = (costs: readonly Cost[], share: number): number => quantile(costs.map(dearer), share);
const told = (cost: Cost | undefined): string => (cost ? dearer(cost).toFixed(1) : "–");
const spread = (costs: readonly Cost[]): string =>
  `${at(costs, 0.5).toFixed(1)} median, ${at(costs, 0.95).toFixed(1)} at 95 %, ${at(costs, 1).toFixed(1)} worst`;

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
