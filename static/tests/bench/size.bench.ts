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
 * Seeks and steps are measured in processor time of the page's main thread, from the press until the frame is painted; `at
 * once`: the very first one of a visit, `cold`: after a rest, each to a place that was never shown, `warm`: to the same places
 * again. They are held against a budget by their ratio to a fixed piece of work, and every share of it is shown. Gated are steps,
 * usual seeks (the middle ones), and of 50,000 events nearly all seeks (95 %), the first included. The dearest seeks of the others
 * swing with the machine by a third of their budget: they are reported, and so are frame times.
 */

const OPERATIONS = 10;
const SEEKS = 40;
const LARGE = 1150;
/** Events of a trace in which nearly every seek, and not only the usual one, must take no more than a frame. */
const MANY = 50_000;
/** Milliseconds of processor time: a frame for a seek, three for a step among 3,000 nodes. */
const [SEEK, STEP] = [16, 50];
/** How long a page rests before them, in milliseconds. */
const REST = 3000;
/**
 * Visits whose first seek is measured at once, and those of them in which everything else is measured too. The middle one
 * counts: a collection of garbage, or a neighbour of the machine, may fall into any. Each is held against fixed work of its own.
 */
const [VISITS, WHOLE_VISITS] = [5, 3];

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
  console.table(rows.map(({ shown, shares }) => ({ program: shown.program, ...asPercent(shares) })));
  for (const { shown, shares } of rows)
    for (const [what, share] of Object.entries(shares))
      if (shown.events >= MANY || what === "step" || what.startsWith("usual"))
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

/** Costs by what was done, and what fixed work took beside them. */
interface Visit {
  readonly costs: Readonly<Record<string, readonly Cost[]>>;
  readonly fixedWork: number;
  readonly frames: string;
}

async function measure(program: string, trace: Trace) {
  const layout = layoutTime(trace);
  const visits: Visit[] = [];
  for (let index = 0; index < VISITS; index++) visits.push(await visit(trace, index < WHOLE_VISITS));
  const costs = (what: string): Cost[] => visits.flatMap((each) => each.costs[what] ?? []);
  const share = (budget: number, what: string, quantileOf: number): number =>
    middle(
      visits.flatMap((each) => {
        const some = each.costs[what];
        return some ? [shareOf(budget, at(some, quantileOf), each.fixedWork)] : [];
      }),
    );
  return {
    shown: {
      program,
      nodes: trace.nodes.length,
      events: trace.steps.length,
      "layout, ms": layout,
      "first seek at once, ms": spread(costs("at once")),
      "cold seek, ms": spread(costs("cold")),
      "warm seek, ms": spread(costs("warm")),
      "step, ms": spread(costs("step")),
      "between frames, ms": visits[0]?.frames,
      "fixed work, ms": visits.map(({ fixedWork }) => fixedWork.toFixed(1)).join(" "),
    },
    shares: {
      "seek at once": share(SEEK, "at once", 1),
      "cold seek": share(SEEK, "cold", 0.95),
      "warm seek": share(SEEK, "warm", 0.95),
      "usual cold seek": share(SEEK, "cold", 0.5),
      "usual warm seek": share(SEEK, "warm", 0.5),
      step: share(STEP, "step", 0.95),
    },
  };
}

/** Opens the page, goes somewhere at once and, where it is a whole visit, to many places after a rest. */
async function visit(trace: Trace, whole: boolean): Promise<Visit> {
  const events = trace.steps.length;
  const strided = Array.from({ length: SEEKS }, (_, i) => ((i + 1) * 7919) % events);
  const inOrder = Array.from({ length: SEEKS }, (_, i) => (events >> 1) + i);
  const page = await open(trace);
  const [first = 0, ...others] = strided;
  const hurried = await costsOfSeeks(page, [first]);
  const fixedWork = await costOfFixedWork(page);
  if (whole) await page.waitForTimeout(REST);
  const costs: Visit["costs"] = {
    "at once": hurried,
    ...(whole && {
      cold: await costsOfSeeks(page, others),
      warm: await costsOfSeeks(page, others),
      step: await costsOfSeeks(page, inOrder),
    }),
  };
  const frames = whole ? await timeFrames(page) : "";
  await page.context().close();
  return { costs, fixedWork, frames };
}

const asPercent = (shares: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(shares).map(([what, share]) => [`${what}, % of budget`, Math.round(100 * share)]));
const middle = (values: readonly number[]): number => quantile(values, 0.5);
/** The dearer one of the two frames that a seek may take. */
const dearer = ({ frame, next }: Cost): number => Math.max(frame, next);
const at = (costs: readonly Cost[], share: number): number => quantile(costs.map(dearer), share);
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
