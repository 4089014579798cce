import type { ServerResponse } from "node:http";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { loadTrace } from "../fixtures/load";
import { madeLoop } from "../fixtures/made";
import { Elsewhere } from "./elsewhere";
import { expectAccessible, freshContext, launch } from "./page";

let browser: Browser;
let traces: Elsewhere;
let site: Elsewhere;

/** A page of another site whose own styles must not reach into the player. */
const page =
  (trace: string, attributes: string, workers: string, scheme = "normal") =>
  (response: ServerResponse): void => {
    const player = inject("address");
    const policy = `default-src 'none'; script-src ${player}; style-src 'unsafe-inline' ${player}; font-src ${player}; connect-src ${traces.address}; img-src data:; worker-src ${workers}`;
    response.setHeader("Content-Type", "text/html");
    response.setHeader("Content-Security-Policy", policy);
    response.end(`<!doctype html><html lang="en"><title>Another site</title>
<link rel="icon" href="data:,">
<style>:root { color-scheme: ${scheme} } body { font: italic 30px cursive; letter-spacing: 4px; text-transform: uppercase } button, svg, p { color: red; border: 9px solid }</style>
<script type="module" src="${player}player.js"></script>
<main><h1>Another site</h1><h2>Its text</h2>
<backplay-player src="${traces.address}${trace}" ${attributes}></backplay-player></main>`);
  };

const json = (value: unknown) => (response: ServerResponse) =>
  response
    .setHeader("Access-Control-Allow-Origin", "*")
    .setHeader("Content-Type", "application/json")
    .end(JSON.stringify(value));

beforeAll(async () => {
  browser = await launch();
  traces = await Elsewhere.open({
    "/seed.json": json(loadTrace("dynamic-computation-graph")),
    "/large.json": json(madeLoop(300, 10)),
    "/private.json": (response) => response.end("{}"),
    "/no-json.json": (response) => response.setHeader("Access-Control-Allow-Origin", "*").end("<!doctype html>"),
    "/no-trace.json": json(null),
  });
  site = await Elsewhere.open({
    "/seed": page("seed.json", 'step="20"', "blob:"),
    "/dark": page("seed.json", 'step="20"', "blob:", "dark"),
    "/large": page("large.json", "", "blob:"),
    "/no-workers": page("large.json", "", "'none'"),
    ...Object.fromEntries(
      ["private", "missing", "no-json", "no-trace"].map((name) => [`/${name}`, page(`${name}.json`, "", "blob:")]),
    ),
  });
});

afterAll(async () => {
  await browser.close();
  traces.close();
  site.close();
});

async function open(path: string): Promise<{ page: Page; complaints: string[] }> {
  const context = await freshContext(browser, { viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
  const opened = await context.newPage();
  const complaints: string[] = [];
  opened.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  opened.on("pageerror", (error) => complaints.push(error.message));
  await opened.goto(site.address + path);
  return { page: opened, complaints };
}

const status = (opened: Page) => opened.locator("backplay-player div.frame > [role=status]").textContent();

test("another site plays a trace from a third one, in the player's own looks, from the step it names", async () => {
  const { page: opened, complaints } = await open("seed");
  await opened.locator("backplay-stage .card").nth(3).waitFor();
  expect(await status(opened)).toMatch(/^Step 20\./);
  const look = await opened.locator("backplay-narration .now").evaluate((element) => {
    const { fontFamily, letterSpacing, textTransform, fontStyle } = getComputedStyle(element);
    return { fontFamily, letterSpacing, textTransform, fontStyle };
  });
  expect(look).toEqual({
    fontFamily: expect.stringContaining("Source Serif 4"),
    letterSpacing: "normal",
    textTransform: "none",
    fontStyle: "normal",
  });
  await opened.waitForFunction(() =>
    [...document.fonts].some((face) => face.family.includes("Source Serif 4") && face.status === "loaded"),
  );
  // axe would read style sheets again by requests, which this page's policy forbids.
  await expectAccessible(opened, "the player in another site's page", { preload: false });
  expect(complaints).toEqual([]);
  await opened.context().close();
});

test.each([
  { path: "seed", surface: "rgb(255, 255, 255)", ink: "rgb(29, 28, 26)" },
  { path: "dark", surface: "rgb(21, 24, 30)", ink: "rgb(235, 233, 227)" },
])("its colours are those of the page's own scheme: $path", async ({ path, surface, ink }) => {
  const { page: opened } = await open(path);
  const card = opened.locator("backplay-stage .card").first();
  await card.waitFor();
  const host = await opened.locator("backplay-player").evaluate((element) => {
    const { backgroundColor, color } = getComputedStyle(element);
    return { backgroundColor, color };
  });
  expect(host).toEqual({ backgroundColor: surface, color: ink });
  const fills = await card.evaluate((element) =>
    [...element.querySelectorAll("rect, path")].map((shape) => getComputedStyle(shape).fill),
  );
  expect(fills.length).toBeGreaterThan(0);
  expect(fills).not.toContain("rgb(0, 0, 0)"); // what a shape without a colour is filled with
  await opened.context().close();
});

test("it leaves the page around it alone: keys, address and storage", async () => {
  const { page: opened, complaints } = await open("seed");
  await opened.locator("backplay-stage .card").nth(3).waitFor();
  await opened.locator("h1").click();
  await opened.keyboard.press("ArrowRight");
  expect(await status(opened)).toMatch(/^Step 20\./);
  await opened.locator("backplay-player div.frame").focus();
  await opened.keyboard.press("ArrowRight");
  expect(await status(opened)).toMatch(/^Step 21\./);
  for (const name of ["Run", "Edit", "Share"])
    expect(await opened.getByRole("button", { name, exact: true }).count(), name).toBe(0);
  await opened.keyboard.press("e");
  expect(await opened.locator("backplay-code").count()).toBe(1);
  expect(new URL(opened.url()).hash).toBe("");
  expect((await opened.context().storageState()).origins).toEqual([]);
  expect(await opened.context().cookies()).toEqual([]);
  expect(complaints).toEqual([]);
  await opened.context().close();
});

test("in a narrow column it is as high as it must be, and nothing spills out of it", async () => {
  const { page: opened } = await open("seed");
  await opened.setViewportSize({ width: 420, height: 800 });
  // As many as there is room for, which is fewer than there are.
  await opened.locator("backplay-stage .card").first().waitFor();
  const room = await opened.evaluate(() => {
    const player = document.querySelector("backplay-player");
    const [host, ...parts] = [player, ...(player?.shadowRoot?.querySelectorAll(".frame > :not(p)") ?? [])].map((each) =>
      each?.getBoundingClientRect(),
    );
    const lowest = Math.max(...parts.map((part) => part?.bottom ?? 0));
    return { below: lowest - (host?.bottom ?? 0), beside: document.documentElement.scrollWidth - innerWidth };
  });
  expect(room.below).toBeLessThanOrEqual(1);
  expect(room.beside).toBeLessThanOrEqual(0);
  await opened.context().close();
});

/** Takes a run of nearly 300 turns apart: more cards than are laid out on the page's own thread. */
async function takeApart(opened: Page): Promise<void> {
  await opened.locator("backplay-player div.frame").focus();
  await opened.keyboard.press("End");
  await opened.keyboard.press("f");
  await opened.locator("backplay-stage .card.group").first().click();
  // What is out of view is not drawn, and the view is framed anew when the layout comes.
  const inView = async (): Promise<number> => {
    await opened.keyboard.press("f");
    return opened.locator("backplay-stage .card.group").count();
  };
  await expect.poll(inView).toBeGreaterThan(200);
}

test("a large graph is laid out in a worker, which another origin's script may only bring in by a text", async () => {
  const { page: opened, complaints } = await open("large");
  const workers: string[] = [];
  opened.on("worker", (worker) => workers.push(worker.url()));
  await opened.locator("backplay-stage svg").waitFor();
  await takeApart(opened);
  expect(workers).toHaveLength(1);
  expect(workers[0]).toMatch(/^blob:/);
  expect(complaints).toEqual([]);
  await opened.context().close();
});

test("where the page's policy forbids workers the graph is laid out all the same", async () => {
  const { page: opened } = await open("no-workers");
  await opened.locator("backplay-stage svg").waitFor();
  await takeApart(opened);
  await opened.context().close();
});

test.each(["private", "missing", "no-json", "no-trace"])("an address that gives no trace is told: %s", async (path) => {
  const { page: opened } = await open(path);
  await opened.getByText("No trace came from this player's src").waitFor();
  await opened.getByText(`${traces.address}${path}.json must hold an answer of POST /api/runs`).waitFor();
  await opened.context().close();
});

test("a page that changes the step or the trace later is followed", async () => {
  const { page: opened, complaints } = await open("seed");
  await opened.locator("backplay-stage .card").nth(3).waitFor();
  const player = opened.locator("backplay-player");
  await player.evaluate((element) => element.setAttribute("step", "12"));
  await expect.poll(() => status(opened)).toMatch(/^Step 12\./);
  await player.evaluate((element) => element.setAttribute("step", "5000"));
  await expect.poll(() => status(opened)).toMatch(/^Step 35\./);
  await player.evaluate((element) => {
    element.setAttribute("src", (element.getAttribute("src") ?? "").replace("seed", "large"));
  });
  // Far behind the end of the first trace, and clamped to the end of the second.
  await expect.poll(() => status(opened)).toMatch(/^Step \d{3,}\./);
  expect(complaints).toEqual([]);
  await opened.context().close();
});
