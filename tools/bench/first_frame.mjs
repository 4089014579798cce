/**
 * Prints how long it takes from pressing Run until the browser has painted the trace, by the page's own clock, as JSON:
 * milliseconds in a page just opened, and again in a page that has run before.
 *
 *     node first_frame.mjs CHROMIUM ADDRESS ROUNDS
 */
import { createRequire } from "node:module";

// The player's packages, where npm puts them.
const { chromium } = createRequire(new URL("../../static/package.json", import.meta.url))("playwright-core");
const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"];
const [executablePath, address, rounds] = process.argv.slice(2);

/** Presses Run; resolves in the frame after the one in which the player shows the answer. */
const firstFrame = (run) =>
  new Promise((resolve) => {
    const root = run.getRootNode();
    const busy = () => root.querySelector(".frame").classList.contains("busy");
    const started = performance.now();
    run.click();
    let asked = false;
    const look = () => {
      asked ||= busy();
      if (asked && !busy()) requestAnimationFrame(() => resolve(performance.now() - started));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });

const browser = await chromium.launch({ executablePath, args: FLAGS });
const times = { "page just opened": [], "page that has run before": [] };
try {
  for (let round = 0; round < Number(rounds); round++) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(address);
    const run = page.getByRole("button", { name: "Run", exact: true });
    await run.waitFor();
    for (const taken of Object.values(times)) taken.push(await run.evaluate(firstFrame));
    await context.close();
  }
} finally {
  await browser.close();
}
console.log(JSON.stringify(times));
