import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { Elsewhere } from "./elsewhere";
import { freshContext, launch } from "./page";

let browser: Browser;
let elsewhere: Elsewhere;

/** A page of another origin that shows the player in a frame, and gives it the height that it asks for. */
const AROUND = (address: string): string => `<!doctype html><title>around</title><link rel="icon" href="data:,">
<iframe id="frame" src="${address}embed?lesson=dynamic-computation-graph" width="900" height="100" title="player"></iframe>
<script>addEventListener("message", (event) => {
  const frame = document.getElementById("frame");
  if (event.source === frame.contentWindow && event.data.type === "backplay-size") frame.style.height = event.data.height + "px";
});</script>`;

beforeAll(async () => {
  browser = await launch();
  elsewhere = await Elsewhere.open({
    "/": (response) => response.setHeader("Content-Type", "text/html").end(AROUND(inject("address"))),
  });
});

afterAll(async () => {
  await browser.close();
  elsewhere.close();
});

test("another site shows the player in a frame that grows to its size, plays, and keeps nothing", async () => {
  const context = await freshContext(browser, { reducedMotion: "reduce" });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(elsewhere.address);
  const frame = page.frameLocator("#frame");
  await frame.locator("backplay-player div.frame").waitFor();
  await expect.poll(async () => (await page.locator("#frame").boundingBox())?.height ?? 0).toBeGreaterThan(500);
  await frame.locator("backplay-code").getByText("requires_grad").first().waitFor();
  await frame.getByRole("button", { name: "Last step" }).click();
  await frame.locator("backplay-stage .card").nth(3).waitFor();
  expect(await context.cookies()).toEqual([]);
  expect((await context.storageState()).origins).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test("a page that is not made for frames refuses to be framed", async () => {
  const response = await fetch(`${inject("address")}play`);
  expect(response.headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
});
