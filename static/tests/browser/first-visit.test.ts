import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { freshContext, LessonPage, launch } from "./page";

/** What somebody meets who comes for the first time, with code of their own, on whatever screen they have. */
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

/** A layer that never learns, for its output goes through numpy: the gradient is `None`, and PyTorch says nothing. */
const NEVER_LEARNS = `import torch
from torch import nn
first, second = nn.Linear(2, 3), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
for turn in range(4):
    optimizer.zero_grad()
    hidden = torch.tensor(first(torch.ones(1, 2)).detach().numpy())
    second(hidden).sum().backward()
    optimizer.step()
print(first.weight.grad)
`;

test("after Run the empty stage offers to play, and the keys stay with the player", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  expect(await lesson.text("backplay-player .blank")).toContain("paste it");
  await lesson.run();
  const play = lesson.page.getByRole("button", { name: "Play 35 steps" });
  await play.focus();
  await lesson.page.keyboard.press("Enter");
  await lesson.page.locator("backplay-stage .card").first().waitFor();
  expect(await play.count()).toBe(0);
  await lesson.press("End");
  expect(await lesson.announced()).toContain("The run is over.");
  await lesson.close();
});

test("what there is to watch out for is told from the first step on, but not where a lesson tells it", async () => {
  const lesson = await LessonPage.open(browser, {}, "lessons/unused-parameters");
  await lesson.page.getByRole("button", { name: /^Play \d+ steps/ }).waitFor();
  await lesson.page.getByRole("button", { name: "Last step" }).click();
  await lesson.page.locator("backplay-narration .warning").waitFor();
  await lesson.page.getByRole("button", { name: "First step" }).click();
  expect(await lesson.page.locator("backplay-problem section").count()).toBe(0);
  await lesson.runCode(NEVER_LEARNS);
  expect(await lesson.text("backplay-problem section")).toContain("There is something to watch out for.");
  await lesson.expectAccessible("the first step of a run with a warning");
  await lesson.page.getByRole("button", { name: "Show the end" }).click();
  expect(await lesson.text("backplay-narration .warning")).toContain("never get a gradient");
  expect(await lesson.page.locator("backplay-problem section").count()).toBe(0);
  await lesson.close();
});

test.each([
  ["import torch\nx = torch.arange(6.0)\ny = x * 2\n", "Nothing here requires grad"],
  ["import torch\nx = torch.ones(2)\nx.no_such_thing\n", "Nothing here requires grad"],
  ["print('hello')\n", "computes with no tensor"],
  ["import torch\nnothing\n", "ended before anything was computed"],
])("without a graph, %j is told why there is none", async (code, words) => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(code);
  expect(await lesson.text("backplay-player .blank")).toContain(words);
  await lesson.close();
});

test("code that is blank is refused in words for a person", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode("  \n");
  expect(await lesson.text("backplay-problem section")).toMatch(/Empty code\s+code is blank; put a snippet in it\./);
  await lesson.page.context().close(); // The refusal itself stands in the browser's console.
});

test("a line's count and its neighbours never touch, however often it ran, and a module gives no value", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(
    "import torch\nmodel = torch.nn.Linear(2, 1)\ni = 0\nwhile i < 1500:\n    i += 1\nprint(model(torch.ones(1, 2)))\n",
  );
  await lesson.press("End");
  const line = (number: number) => lesson.page.locator(`backplay-code li[data-line="${number}"]`);
  expect(await line(5).locator(".times").innerText()).toBe("1k×");
  expect(await line(5).locator(".times").getAttribute("title")).toBe("This line ran 1500 times.");
  expect(await line(2).locator(".result").count()).toBe(0);
  await lesson.close();
});

test("long names are broken rather than cut off, and cover no value", async () => {
  const name = "a_very_long_name_that_somebody_chose_for_the_sake_of_clarity_alone";
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(
    `import torch\n${name} = torch.tensor([1.5, 2.5], requires_grad=True, dtype=torch.float64)\n${name}_and_its_sum = (${name} * 1234567.0).sum()\n${name}_and_its_sum.backward()\nprint(torch.arange(40.0).reshape(2, 20))\n`,
  );
  await lesson.press("End");
  const spills = await lesson.page
    .locator("backplay-narration")
    .evaluate((panel) => panel.scrollWidth - panel.clientWidth);
  expect(spills).toBe(0);
  const overlaps = await lesson.page.locator("backplay-stage .card").evaluateAll((cards) =>
    cards.filter((card) => {
      const [title, value] = [".title", ".value"].map((part) => card.querySelector(part)?.getBoundingClientRect());
      return title && value && title.right > value.left;
    }),
  );
  expect(overlaps).toEqual([]);
  // The columns of a tensor that was printed stand below each other, though the panel is narrow.
  expect(
    await lesson.page.locator("backplay-output .piece").evaluate((piece) => getComputedStyle(piece).whiteSpace),
  ).toBe("pre");
  await lesson.close();
});

test("a run that is longer than what is kept says so without a number that it cannot know", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(
    "import torch\nw = torch.tensor(1.0, requires_grad=True)\nfor turn in range(600):\n    (w * w).backward()\n",
  );
  await lesson.press("End");
  expect(await lesson.text("backplay-narration .note")).toContain("Not every step is shown: the run went on.");
  await lesson.press("ArrowLeft");
  expect(await lesson.text("backplay-narration .now")).toMatch(/more statements ran here, with \d+ backward passes/);
  await lesson.close();
});

test("what was printed last is in sight, and what there is to watch out for stands before what the leaves hold", async () => {
  const lesson = await LessonPage.open(browser, { viewport: { width: 390, height: 844 } }, "play");
  await lesson.runCode(NEVER_LEARNS.replace("print(", "for i in range(60): print(i)\nprint("));
  await lesson.page.getByRole("button", { name: "Show the end" }).click();
  const [warning, held] = await Promise.all([
    lesson.page.locator("backplay-narration .warning").boundingBox(),
    lesson.page.locator("backplay-narration .detail").first().boundingBox(),
  ]);
  expect(warning?.y).toBeLessThan(held?.y ?? 0);
  await lesson.page.setViewportSize({ width: 1440, height: 900 });
  const hidden = () =>
    lesson.page
      .locator("backplay-output")
      .evaluate((panel) => panel.scrollHeight - panel.clientHeight - panel.scrollTop);
  await lesson.press("Home");
  await lesson.press("End");
  await expect.poll(hidden).toBeLessThan(2);
  await lesson.close();
});

test("the outline of a run of many parts begins with what is on the stage", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(NEVER_LEARNS);
  await lesson.press("End");
  await lesson.page.getByRole("tab", { name: "Outline" }).click();
  const first = lesson.page.getByRole("list", { name: "Graph as a list" }).getByRole("button").first();
  await first.waitFor();
  const [panel, row] = await Promise.all([lesson.page.locator("backplay-outline").boundingBox(), first.boundingBox()]);
  expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThan((panel?.y ?? 0) + (panel?.height ?? 0));
  await lesson.page.getByText(/parts that can be folded/).click();
  await lesson.page.getByRole("button", { name: /^Fold turn 2/ }).waitFor();
  await lesson.expectAccessible("the outline with its parts");
  await lesson.close();
});

describe("on other screens", () => {
  test("the buttons above the code stand in one row at 1024 pixels", async () => {
    const lesson = await LessonPage.open(browser, { viewport: { width: 1024, height: 768 } }, "play");
    await lesson.runCode("import torch\nprint(torch.ones(1))\n");
    // With Reset there are six; and once more, for a first load may go by without the page's own faces.
    await lesson.page.reload();
    await lesson.page.getByRole("button", { name: "Reset" }).waitFor();
    const top = async (name: string) =>
      (await lesson.page.getByRole("button", { name, exact: true }).boundingBox())?.y ?? 0;
    expect(Math.abs((await top("Run")) - (await top("Examples")))).toBeLessThan(6);
    await lesson.close();
  });

  test("a phone on its side has the controls in sight, and the graph above them", async () => {
    const phone = { viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true };
    const lesson = await LessonPage.open(browser, phone, "play");
    await lesson.run();
    const controls = await lesson.page.locator("backplay-controls").boundingBox();
    expect((controls?.y ?? 390) + (controls?.height ?? 0)).toBeLessThanOrEqual(390);
    expect((await lesson.page.locator("backplay-stage").boundingBox())?.height).toBeGreaterThan(150);
    await lesson.close();
  });

  test("a frame in a page of text shows the first lesson's graph whole, and leads on to the same step of it", async () => {
    const context = await freshContext(browser, { viewport: { width: 880, height: 640 }, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(`${inject("address")}embed?lesson=dynamic-computation-graph#step=28`);
    await page.locator("backplay-stage .callout").waitFor();
    const stage = await page.locator("backplay-stage").boundingBox();
    for (const card of await page.locator("backplay-stage .card .outline").all()) {
      const box = await card.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((stage?.x ?? 0) + (stage?.width ?? 0));
    }
    const [next] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("link", { name: "Open in Backplay" }).click(),
    ]);
    expect(next.url()).toContain("/lessons/dynamic-computation-graph#step=28");
    await context.close();
  });
});
