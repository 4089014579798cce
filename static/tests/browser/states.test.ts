import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

describe.each([
  ["a syntax error", "import torch\nx = torch.tensor(1.0\n", "SyntaxError", 2],
  [
    "an exception",
    "import torch\nx = torch.tensor(1.0, requires_grad=True)\ny = x * 2\ny.backward()\ny.backward()\n",
    "RuntimeError",
    5,
  ],
  ["an unknown name of torch", "import torch\nx = torch.tensor(1.0)\ntorch.no_such_thing(x)\n", "AttributeError", 3],
  ["an endless loop", "import torch\nx = torch.tensor(1.0)\nwhile True:\n    pass\n", "imit", 0],
])("%s", (_, code, title, line) => {
  test("says what happened, where and what to do, and the steps up to it can be played", async () => {
    const lesson = await LessonPage.open(browser);
    await lesson.runCode(code);
    expect(await lesson.text("backplay-problem section")).toContain(title);
    await lesson.page.locator("backplay-player div.frame").focus();
    await lesson.press("End");
    const problem = await lesson.text("backplay-problem section");
    expect(problem).toContain(title);
    if (line > 0) expect(problem).toContain(`on line ${line}`);
    expect((await lesson.text("backplay-problem .advice")).length).toBeGreaterThan(20);
    expect(await lesson.stepCount()).toBeGreaterThan(0);
    if (line > 0)
      expect(await lesson.page.locator(`backplay-code li[data-line="${line}"] .guilty`).count()).toBeGreaterThan(0);
    await lesson.expectAccessible(title);
    await lesson.close();
  });
});

test("a service that refuses is reported in words, and the page goes on", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.page.route("**/api/runs", (route) =>
    route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      headers: { "Retry-After": "2" },
      body: JSON.stringify({ title: "Overloaded", detail: "All runners are busy. Try again in 2 s.", status: 503 }),
    }),
  );
  await lesson.page.getByRole("button", { name: "Run", exact: true }).click();
  await lesson.page.getByText("All runners are busy").waitFor();
  // The wait is told once.
  expect(await lesson.page.getByRole("alert").allInnerTexts()).toEqual([
    expect.stringMatching(/Overloaded\s+All runners are busy. Try again in 2 s.$/),
  ]);
  await lesson.page.unroute("**/api/runs");
  await lesson.run();
  expect(await lesson.stepCount()).toBeGreaterThan(10);
  await lesson.page.context().close();
});

test.each(["light", "dark"] as const)(
  "in the %s theme, a run under way leaves all there is to be read",
  async (colorScheme) => {
    const lesson = await LessonPage.open(browser, { colorScheme });
    await lesson.run();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await lesson.page.route("**/api/runs", async (route) => {
      await held;
      await route.continue();
    });
    await lesson.page.getByRole("button", { name: "Run", exact: true }).click();
    await lesson.page.locator("backplay-player div.frame.busy").waitFor();
    await lesson.expectAccessible("a run under way");
    letGo();
    await lesson.page.locator("backplay-player div.frame:not(.busy)").waitFor();
    await lesson.close();
  },
);

describe.each([
  ["light", 1440, 900],
  ["dark", 1440, 900],
  ["light", 390, 844],
  ["dark", 360, 740],
] as const)("in the %s theme at %i × %i", (colorScheme, width, height) => {
  test("every state is accessible, and nothing spills over the side", async () => {
    const lesson = await LessonPage.open(browser, { colorScheme, viewport: { width, height } });
    await lesson.expectAccessible("the page before a run");
    await lesson.run();
    await lesson.expectAccessible("the first step");
    await lesson.press("]");
    for (let i = 0; i < 4; i++) await lesson.press("ArrowRight");
    await lesson.expectAccessible("backward");
    await lesson.press("End");
    await lesson.expectAccessible("the last step");
    await lesson.press("?");
    await lesson.page.locator("backplay-keys dialog[open]").waitFor();
    await lesson.expectAccessible("the key sheet");
    await lesson.press("Escape");
    await lesson.page.getByRole("button", { name: "Edit", exact: true }).click();
    await lesson.page.getByRole("textbox", { name: "Code editor" }).waitFor();
    await lesson.expectAccessible("the editor");
    expect(
      await lesson.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0);
    await lesson.close();
  });
});

test("playing goes on by itself, halts at a breakpoint, and scrubbing stops it", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  await lesson.page.getByRole("button", { name: "Breakpoint on line 5" }).click();
  for (let i = 0; i < 2; i++) await lesson.press("+");
  await lesson.page.getByRole("button", { name: "Play", exact: true }).click();
  await lesson.page.locator('backplay-code li.current[data-line="5"]').waitFor();
  await lesson.page.getByRole("button", { name: "Play", exact: true }).waitFor();
  expect(await lesson.page.locator("backplay-code li.current").getAttribute("data-line")).toBe("5");
  await lesson.page.getByRole("button", { name: "Play", exact: true }).click();
  await lesson.slider().fill("2");
  await lesson.page.getByRole("button", { name: "Play", exact: true }).waitFor();
  expect(await lesson.announced()).toMatch(/^Step 3\./);
  await lesson.close();
});

test("the three grains take strides of different length", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  const strides: number[] = [];
  for (const grain of ["Line", "Operation", "Message"]) {
    await lesson.page.getByRole("radio", { name: grain }).check();
    await lesson.page.locator("backplay-player div.frame").focus();
    await lesson.press("Home");
    let presses = 0;
    while (Number(await lesson.slider().inputValue()) < (await lesson.stepCount()) - 1) {
      await lesson.press("ArrowRight");
      presses++;
    }
    strides.push(presses);
  }
  const [line = 0, operation = 0, message = 0] = strides;
  expect(line).toBeLessThan(operation);
  expect(operation).toBeLessThan(message);
  await lesson.close();
});

test("a chosen theme wins over the system's and survives a reload", async () => {
  const lesson = await LessonPage.open(browser, { colorScheme: "dark" });
  const scheme = () => lesson.page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  const button = lesson.page.locator("backplay-theme button");
  await button.click();
  expect(await scheme()).toBe("light");
  await lesson.page.reload();
  expect(await scheme()).toBe("light");
  await button.click();
  await button.click();
  expect(await scheme()).toBe("light dark");
  await lesson.close();
});
