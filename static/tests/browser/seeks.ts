import type { Page } from "playwright-core";

export interface Times {
  readonly median: number;
  readonly worst: number;
}

/**
 * How long it takes, in milliseconds, from asking for a step until everything of it is in the document.
 *
 * Every step is asked for five times and the shortest counts, so that what else the machine does is left out; between
 * two times lie all other steps, so that what the player keeps is left out as well where there are enough of them.
 */
export async function timeSeeks(page: Page, steps: readonly number[]): Promise<Times> {
  return page.evaluate(async (wanted) => {
    const player = document.querySelector("backplay-player") as unknown as {
      shadowRoot: ShadowRoot;
      updateComplete: Promise<unknown>;
    };
    const [controls, stage] = ["backplay-controls", "backplay-stage"].map((name) =>
      player.shadowRoot.querySelector(name),
    ) as unknown as [HTMLElement, { updateComplete: Promise<unknown> }];
    const times = wanted.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < 5; round++) {
      for (const [index, step] of wanted.entries()) {
        const start = performance.now();
        controls.dispatchEvent(new CustomEvent("seek", { detail: step }));
        await player.updateComplete;
        await stage.updateComplete;
        times[index] = Math.min(times[index] ?? 0, performance.now() - start);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }
    times.sort((a, b) => a - b);
    return { median: times[times.length >> 1] ?? Number.NaN, worst: times.at(-1) ?? Number.NaN };
  }, steps);
}
