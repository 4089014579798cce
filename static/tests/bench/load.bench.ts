import type { Browser } from "playwright-core";
import { afterAll, beforeAll, inject, test } from "vitest";
import { freshContext, launch } from "../browser/page";

/**
 * What loading each kind of page costs, to read and to compare within one run on one machine: the budgets of sizes are gates of their
 * own (`tests/bundle.test.ts`).
 */

const PAGES = [
  "",
  "play",
  "lessons",
  "lessons/dynamic-computation-graph",
  "docs",
  "embed?lesson=dynamic-computation-graph",
];
/** A task that holds the page's main thread for longer than this blocks it, by as much as it is longer: milliseconds. */
const LONG = 50;
/** How long a page is watched once nothing more is loaded, in milliseconds. */
const WATCH = 1500;

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("loading", { timeout: 600_000 }, async () => {
  const rows = [];
  for (const path of PAGES) rows.push({ page: `/${path}`, ...(await load(path)) });
  console.table(rows);
});

async function load(path: string) {
  const context = await freshContext(browser, { viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await page.goto(inject("address") + path);
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(WATCH);
  const tasks = mainThreadTasks((await browser.stopTracing()).toString());
  const seen = await page.evaluate(
    () =>
      new Promise<{ paint: number; shift: number; script: number }>((resolve) => {
        const found = { paint: 0, shift: 0, script: 0 };
        for (const entry of performance.getEntriesByType("resource") as PerformanceResourceTiming[])
          if (entry.name.endsWith(".js")) found.script += entry.encodedBodySize;
        const note = (list: PerformanceObserverEntryList): void => {
          for (const entry of list.getEntries()) {
            if (entry.entryType === "largest-contentful-paint") found.paint = entry.startTime;
            else found.shift += (entry as PerformanceEntry & { value: number }).value;
          }
        };
        for (const type of ["largest-contentful-paint", "layout-shift"])
          new PerformanceObserver(note).observe({ type, buffered: true });
        setTimeout(() => resolve(found), 200);
      }),
  );
  await context.close();
  return {
    "script, KB as sent": (seen.script / 1024).toFixed(1),
    "largest paint, ms": seen.paint.toFixed(0),
    "blocking, ms of processor": tasks.reduce((sum, time) => sum + Math.max(0, time - LONG), 0).toFixed(0),
    "longest task, ms of processor": Math.max(0, ...tasks).toFixed(0),
    "layout shift": seen.shift.toFixed(3),
  };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Processor time of each task of the page's main thread, in milliseconds. */
function mainThreadTasks(trace: string): number[] {
  const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] };
  const mains = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const tasksOf = (main: TraceEvent): number[] =>
    traceEvents.flatMap(({ name, pid, tid, tdur }) =>
      pid === main.pid && tid === main.tid && name.endsWith("RunTask") && tdur !== undefined ? [tdur / 1000] : [],
    );
  const sum = (tasks: readonly number[]): number => tasks.reduce((total, time) => total + time, 0);
  // The empty page that stood there before may have had a process of its own.
  return mains.map(tasksOf).sort((a, b) => sum(b) - sum(a))[0] ?? [];
}
