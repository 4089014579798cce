import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("the playground is reached from the header and has nothing but the player", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.page.getByRole("link", { name: "Playground" }).click();
  await lesson.page.waitForURL("**/play");
  await lesson.page.locator("backplay-player div.frame").waitFor();
  const stage = await lesson.page.locator("backplay-stage").boundingBox();
  expect(stage?.width).toBeGreaterThan(850);
  expect(await lesson.page.locator(".lesson").count()).toBe(0);
  await lesson.page.getByRole("link", { name: "Lessons" }).click();
  await lesson.page.locator(".contents").waitFor();
  await lesson.close();
});

test("Play before there is a run runs the code and plays it", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.page.getByRole("button", { name: "Play", exact: true }).click();
  await lesson.page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  await expect.poll(async () => Number(await lesson.slider().inputValue())).toBeGreaterThan(0);
  await lesson.close();
});

test("code that is pasted on the page is run at once, and the page's own comes back by Reset", async () => {
  const lesson = await LessonPage.open(browser);
  const paste = (text: string) =>
    lesson.page.evaluate((pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, composed: true }));
    }, text);
  await paste("just words");
  expect(await lesson.text("backplay-code ol")).toContain("d = c + a");
  await paste("import torch\nw = torch.tensor(5.0, requires_grad=True)\n(w * w).backward()\n");
  await expect.poll(() => lesson.text("backplay-code ol")).toContain("torch.tensor(5.0");
  await lesson.page.locator("backplay-player div.frame:not(.busy)").waitFor();
  await lesson.page.getByRole("button", { name: "Reset" }).click();
  expect(await lesson.text("backplay-code ol")).toContain("d = c + a");
  await lesson.close();
});

test("an example of the gallery is taken, run, changed, kept and put back", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.page.getByRole("button", { name: "Examples" }).click();
  await lesson.page.locator("backplay-examples dialog[open]").waitFor();
  await lesson.expectAccessible("the gallery");
  const answer = lesson.page.waitForResponse((response) => response.url().endsWith("/api/runs"));
  await lesson.page.getByRole("button", { name: /^Backward a second time/ }).click();
  await answer;
  await lesson.page.getByText("This run ends with RuntimeError").waitFor();
  await lesson.runCode("import torch\nprint(torch.tensor(2.0) * 21)\n");
  await lesson.page.reload();
  await lesson.page.locator("backplay-code").waitFor();
  expect(await lesson.text("backplay-code ol")).toContain("* 21");
  await lesson.close();
});

test("a link carries the code and the step to another browser", async () => {
  const sender = await LessonPage.open(browser, {}, "play");
  await sender.runCode("import torch\nw = torch.tensor(5.0, requires_grad=True)\n(w * w).backward()\n");
  for (let i = 0; i < 4; i++) await sender.press("ArrowRight");
  const hash = await sender.link("code=");
  const told = await sender.announced();
  await sender.close();
  const receiver = await LessonPage.open(browser, {}, `play${hash}`);
  await receiver.page.locator("backplay-stage .card").first().waitFor();
  expect(await receiver.text("backplay-code ol")).toContain("torch.tensor(5.0");
  expect(await receiver.announced()).toBe(told);
  await receiver.close();
});

describe.each([
  ["light", 1440, 900],
  ["dark", 360, 740],
] as const)("in the %s theme at %i × %i", (colorScheme, width, height) => {
  test("the playground is accessible and nothing spills over the side", async () => {
    const lesson = await LessonPage.open(browser, { colorScheme, viewport: { width, height } }, "play");
    await lesson.run();
    await lesson.press("End");
    await lesson.expectAccessible("the playground");
    expect(
      await lesson.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0);
    await lesson.close();
  });
});

test("on paper the whole graph is seen", async () => {
  const lesson = await LessonPage.open(browser, { viewport: { width: 1000, height: 700 } }, "play");
  await lesson.runCode(
    "import torch\nfrom torch import nn\nmodel = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))\nmodel(torch.ones(4, 2)).sum().backward()\n",
  );
  await lesson.press("End");
  // What stands on paper, looked at while it is being printed.
  await lesson.page.evaluate(() => {
    addEventListener("beforeprint", async () => {
      const stage = document.querySelector("backplay-player")?.shadowRoot?.querySelector("backplay-stage");
      await stage?.updateComplete;
      const svg = stage?.shadowRoot?.querySelector("svg");
      const world = svg?.querySelector<SVGGElement>(".world");
      const sheet = svg?.viewBox.baseVal;
      if (!svg || !world || !sheet) throw new Error("nothing is drawn on paper");
      const { x, y, width, height } = world.getBBox();
      const { a, e, f } = new DOMMatrix(world.style.transform);
      document.body.dataset.printed = JSON.stringify({
        cards: svg.querySelectorAll(".card .outline").length,
        inside:
          x * a + e >= 0 &&
          y * a + f >= 0 &&
          (x + width) * a + e <= sheet.width &&
          (y + height) * a + f <= sheet.height,
        minimap: svg.querySelectorAll(".minimap").length,
      });
    });
  });
  const seen = () => lesson.page.locator("backplay-stage svg").getAttribute("viewBox");
  const before = await seen();
  await lesson.page.pdf({ format: "A4" });
  const printed = await lesson.page.locator("body").getAttribute("data-printed");
  expect(JSON.parse(printed ?? "{}")).toMatchObject({ cards: 11, inside: true, minimap: 0 });
  await expect.poll(seen).toBe(before);
  await lesson.page.emulateMedia({ media: "print" });
  const moving = lesson.page.locator("backplay-stage").evaluate(({ shadowRoot }) => shadowRoot?.getAnimations().length);
  expect(await moving, "what is printed is complete, and not on its way").toBe(0);
  const scheme = () => lesson.page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  expect(await scheme(), "paper is white").toContain("light");
  expect(await scheme()).not.toContain("dark");
  await lesson.close();
});

test("nothing shifts while the page loads and a program runs", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.page.evaluate(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
    }).observe({ type: "layout-shift", buffered: true });
  });
  await lesson.run();
  await lesson.press("End");
  const sum = await lesson.page.evaluate(() =>
    (window as unknown as { shifts: number[] }).shifts.reduce((total, each) => total + each, 0),
  );
  expect(sum).toBeLessThan(0.02);
  await lesson.close();
});
