import type { Page } from "playwright-core";

/** What going to one step costs the page's main thread: milliseconds of processor time, with style, layout and paint. */
export interface Cost {
  /** The work of the frame that shows the graph, the code and the scrubber. */
  readonly frame: number;
  /** The work of the frame after it, in which words and values follow a leap to another part of a large graph. */
  readonly next: number;
}

/**
 * Processor time that `costOfFixedWork` takes on the machine on which a frame's 16 ms were measured. Budgets in milliseconds are
 * held by their ratio to it, so that neither a slow machine nor a busy one breaks them.
 */
const FIXED_WORK_MS = 19;

/** How much of a budget in milliseconds a cost takes up, on a machine as fast as this one is now. */
export const shareOf = (budget: number, cost: number, fixedWork: number): number =>
  cost / fixedWork / (budget / FIXED_WORK_MS);

/** Goes to steps, one after the other, as a press on the scrubber does. */
export async function costsOfSeeks(page: Page, steps: readonly number[]): Promise<Cost[]> {
  const marks = await marking(page, async () => {
    for (const [index, step] of steps.entries()) {
      await page.evaluate(
        async ([wanted, i]) => {
          const player = document.querySelector("backplay-player");
          const controls = player?.shadowRoot?.querySelector("backplay-controls");
          // Right after a frame is made, before any timer.
          const frame = (): Promise<void> =>
            new Promise((resolve) =>
              requestAnimationFrame(() => void scheduler.postTask(() => resolve(), { priority: "user-blocking" })),
            );
          await frame();
          performance.mark(`seek ${i}`);
          controls?.dispatchEvent(new CustomEvent("seek", { detail: wanted }));
          await frame();
          performance.mark(`frame ${i}`);
          await frame();
          performance.mark(`next ${i}`);
        },
        [step, index] as const,
      );
    }
  });
  const between = (from: string, to: string): number => (marks.get(to) ?? Number.NaN) - (marks.get(from) ?? Number.NaN);
  return steps.map((_, i) => ({ frame: between(`seek ${i}`, `frame ${i}`), next: between(`frame ${i}`, `next ${i}`) }));
}

/** Processor time of a piece of work that is always the same: text made, styled and laid out. The middle of seven. */
export async function costOfFixedWork(page: Page): Promise<number> {
  const times = 7;
  const marks = await marking(page, () =>
    page.evaluate((count) => {
      for (let time = 0; time < count; time++) {
        performance.mark(`start ${time}`);
        const place = document.body.appendChild(document.createElement("div"));
        for (let round = 0; round < 3; round++) {
          place.innerHTML = Array.from({ length: 300 }, (_, i) => `<p>word ${i} and <b>bold ${i * round}</b></p>`).join(
            "",
          );
          place.getBoundingClientRect();
        }
        place.remove();
        performance.mark(`end ${time}`);
      }
    }, times),
  );
  const all = Array.from({ length: times }, (_, i) => (marks.get(`end ${i}`) ?? 0) - (marks.get(`start ${i}`) ?? 0));
  return quantile(all, 0.5);
}

/** The marks that are set meanwhile, each with the milliseconds that the page's main thread had run until then. */
async function marking(page: Page, work: () => Promise<void>): Promise<Map<string, number>> {
  const browser = page.context().browser();
  if (!browser) throw new Error("the page has no browser of its own, so nothing can be traced");
  await browser.startTracing(page, { categories: ["blink.user_timing"] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: { name: string; cat: string; tts?: number }[];
  };
  return new Map(
    traceEvents.flatMap(({ name, cat, tts }) =>
      cat === "blink.user_timing" && tts !== undefined ? [[name, tts / 1000]] : [],
    ),
  );
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
