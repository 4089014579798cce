import { writeFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { LessonPage, launch } from "../browser/page";
import { madeLoop } from "../fixtures/made";

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());
test("profile", { timeout: 300_000 }, async () => {
  const trace = madeLoop(Number(process.env.TURNS ?? 1150), 10);
  const lesson = await LessonPage.open(browser, { reducedMotion: "no-preference" }, "play");
  const { page } = lesson;
  await page.route("**/api/runs", (route) => route.fulfill({ json: trace }));
  await page.getByRole("button", { name: "Run" }).click();
  await page.waitForFunction(
    () =>
      (document.querySelector("backplay-player")?.shadowRoot?.querySelectorAll(".frame:not(.busy)").length ?? 0) > 0,
  );
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Profiler.enable");
  await cdp.send("Profiler.setSamplingInterval", { interval: 200 });
  const n = trace.steps.length;
  const steps = Array.from({ length: 60 }, (_, i) => (i * 7919) % n);
  await cdp.send("Profiler.start");
  const times = await page.evaluate(async (wanted) => {
    const player = document.querySelector("backplay-player") as any;
    const controls = player.shadowRoot.querySelector("backplay-controls");
    const stage = player.shadowRoot.querySelector("backplay-stage");
    const times: number[] = [];
    for (const step of wanted) {
      const start = performance.now();
      controls.dispatchEvent(new CustomEvent("seek", { detail: step }));
      await player.updateComplete;
      await stage.updateComplete;
      times.push(performance.now() - start);
      await new Promise((r) => requestAnimationFrame(r));
    }
    return times;
  }, steps);
  const { profile } = (await cdp.send("Profiler.stop")) as any;
  console.log("order", times.map((x) => x.toFixed(0)).join(" "));
  times.sort((a, b) => a - b);
  console.log("median", times[30]?.toFixed(1), "p90", times[54]?.toFixed(1), "worst", times.at(-1)?.toFixed(1));
  const nodes = new Map(profile.nodes.map((x: any) => [x.id, x]));
  const parent = new Map<number, number>();
  for (const x of profile.nodes) for (const c of x.children ?? []) parent.set(c, x.id);
  const self = new Map<string, number>(),
    total = new Map<string, number>();
  profile.samples.forEach((id: number, i: number) => {
    const dt = profile.timeDeltas[i] / 1000;
    const name = (k: number) => {
      const f = (nodes.get(k) as any).callFrame;
      return `${f.functionName || "anon"}:${f.lineNumber}`;
    };
    self.set(name(id), (self.get(name(id)) ?? 0) + dt);
    const seen = new Set<string>();
    for (let k: number | undefined = id; k !== undefined; k = parent.get(k)) {
      const s = name(k);
      if (!seen.has(s)) {
        seen.add(s);
        total.set(s, (total.get(s) ?? 0) + dt);
      }
    }
  });
  const top = (m: Map<string, number>) =>
    [...m]
      .sort((a, b) => b[1] - a[1])
      .slice(0, 45)
      .map(([k, v]) => `${v.toFixed(0).padStart(6)} ${k}`)
      .join("\n");
  writeFileSync("/tmp/prof.txt", `SELF\n${top(self)}\nTOTAL\n${top(total)}\n`);
  await lesson.page.context().close();
});
