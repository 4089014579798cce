import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Trace } from "../../src/trace/types";
import { LessonPage, launch } from "./page";
import { costOfFixedWork, costsOfSeeks, quantile, shareOf } from "./seeks";

const LOOP = `import torch

w = torch.tensor(2.0, requires_grad=True)
for x in [1.0, 2.0, 3.0]:
    y = w * x
    z = y * y
    z.backward()
print(w.grad)
`;

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("choosing a name opens its inspector: value, gradient, why, and its history leads to its steps", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  await lesson.press("End");
  await lesson.page.locator("backplay-variables").getByRole("button", { name: "c", exact: true }).click();
  const inspector = lesson.page.locator("backplay-inspector");
  const text = await inspector.locator("dl").innerText();
  expect(text).toContain("MulBackward0");
  expect(text).toContain("None");
  expect(await inspector.locator(".reason").count()).toBeGreaterThan(0);
  await inspector.locator("ol button").first().click();
  expect(Number(await lesson.slider().inputValue())).toBeLessThan(20);
  expect(await lesson.texts("backplay-code .source")).toContain("a");
  await lesson.expectAccessible("the inspector");
  await lesson.close();
});

const NONE = `import torch

w = torch.tensor([0.5, -1.0], requires_grad=True)
(w * 2).sum().backward()
w = w - 0.1 * w.grad
print(w.grad)
`;

test("why a gradient is None is one press away, and answers that are equal are given once", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(NONE);
  await lesson.press("End");
  await lesson.page.getByRole("button", { name: "Why this .grad of w?" }).click();
  const reasons = lesson.page.locator("backplay-inspector .reason");
  await reasons.first().waitFor();
  expect(await reasons.first().innerText()).toMatch(/^Why this value\? Why this \.grad\? w was a leaf until line 5/);
  const answers = await reasons.evaluateAll((all) =>
    all.map((each) => (each.querySelector("p")?.textContent ?? "").split("? ").at(-1)),
  );
  expect(new Set(answers).size).toBe(answers.length);
  await lesson.expectAccessible("why a gradient is None");
  await lesson.close();
});

test("what there was to watch out for is told once more when the run is over, and leads to its step", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(NONE);
  await lesson.press("End");
  const warning = lesson.page.locator("backplay-narration .warning");
  expect(await warning.count()).toBe(1);
  expect(await warning.innerText()).toMatch(/^Watch out\. w was a leaf until line 5/);
  await lesson.expectAccessible("the end of a run with a warning");
  await warning.getByRole("button", { name: "Show the step" }).click();
  expect(await lesson.page.locator("backplay-code li.current").getAttribute("data-line")).toBe("6");
  expect(await warning.count()).toBe(1);
  await lesson.close();
});

test("a press on a card chooses it; the outline does the same from the keyboard", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  await lesson.press("End");
  await lesson.page.locator("backplay-stage .card").first().click();
  expect(await lesson.text("backplay-inspector h3")).toBe("a");
  await lesson.page.getByRole("tab", { name: "Inspector" }).press("ArrowRight");
  const outline = lesson.page.locator("backplay-outline");
  await outline.getByRole("button", { name: "d", exact: true }).press("Enter");
  expect(await lesson.text("backplay-inspector h3")).toBe("d");
  await lesson.close();
});

test.each([768, 1440])("beside a stage %i wide no name in the outline is broken in two", async (width) => {
  const lesson = await LessonPage.open(browser, { viewport: { width, height: 1024 } }, "play");
  const layers = "nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))";
  await lesson.runCode(
    `import torch\nfrom torch import nn\nmodel = ${layers}\nmodel(torch.ones(1, 2)).sum().backward()\n`,
  );
  await lesson.press("End");
  await lesson.page.getByRole("tab", { name: "Outline" }).click();
  const names = lesson.page.locator("backplay-outline li > button:first-child");
  await names.getByText("t(model[0].weight)", { exact: true }).waitFor();
  const heights = await names.evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().height));
  expect(new Set(heights).size).toBe(1);
  await lesson.close();
});

test("pointing at a name in the code lights its card; a click on a line goes to its end", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  await lesson.press("End");
  await lesson.page.locator('backplay-code li[data-line="6"] [data-name="c"]').hover();
  expect(await lesson.page.locator("backplay-stage .card.selected .title").textContent()).toBe("c");
  await lesson.page.locator('backplay-code li[data-line="5"] .line').click();
  expect(await lesson.page.locator("backplay-code li.current").getAttribute("data-line")).toBe("5");
  expect(await lesson.cards()).toHaveLength(3);
  await lesson.close();
});

test("each turn of a loop stands in its own box; a box folds into one card and opens again", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.runCode(LOOP);
  await lesson.press("End");
  expect(await lesson.page.locator("backplay-stage .part-title").count()).toBe(3);
  const all = (await lesson.cards()).length;
  await lesson.page.getByRole("tab", { name: "Outline" }).click();
  await lesson.page.getByRole("button", { name: /^Fold .*turn 2/i }).click();
  await lesson.page.locator("backplay-stage .card.group").waitFor();
  expect((await lesson.cards()).length).toBe(all - 2);
  await lesson.expectAccessible("a folded turn");
  await lesson.page.locator("backplay-stage .card.group").click();
  await expect.poll(async () => (await lesson.cards()).length).toBe(all);
  await lesson.close();
});

test("a gradient that accumulates over three passes keeps its ledger", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.runCode(LOOP);
  await lesson.press("End");
  await lesson.page.locator("backplay-variables").getByRole("button", { name: "w", exact: true }).click();
  const paths = await lesson.texts("backplay-inspector .ledger .paths", 3);
  expect(paths).toHaveLength(3);
  expect(paths[0]).toMatch(/^pass 1: 4 by MulBackward0/);
  const ledger = await lesson.texts("backplay-inspector .ledger li button", 3);
  expect(ledger.map((line) => line.replace(/\s+/g, " ").replace(/^\d+ /, ""))).toEqual([
    "None + 4 = 4",
    "4 + 16 = 20",
    "20 + 36 = 56",
  ]);
  await lesson.close();
});

test("in predict mode every question of the trace halts the way forward until it is answered or passed", async () => {
  const lesson = await LessonPage.open(browser);
  const response = lesson.page.waitForResponse((each) => each.url().endsWith("/api/runs"));
  await lesson.run();
  const { questions, steps } = (await (await response).json()) as Trace;
  const inOrder = [...questions].sort((a, b) => a.step - b.step);
  expect(inOrder.length).toBeGreaterThan(0);
  // The first is asked at once.
  await lesson.press("p");
  for (const [index, question] of inOrder.entries()) {
    if (index > 0) await lesson.press("End");
    expect(await lesson.text("backplay-prediction .prompt")).toBe(question.prompt.replaceAll("`", ""));
    expect(await lesson.announced()).toContain(question.prompt.replaceAll("`", ""));
    expect(Number(await lesson.slider().inputValue()), "the answer must not be shown yet").toBeLessThan(question.step);
    if (index > 0) continue;
    for (const [choice, { right, why }] of question.choices.entries()) {
      await lesson.press(String(choice + 1));
      const told = await lesson.page.locator(`backplay-prediction li:nth-child(${choice + 1}) .why`).innerText();
      expect(told).toContain(right ? "Right." : "Not so.");
      expect(told).toContain(why.replaceAll("`", ""));
    }
    await lesson.expectAccessible("a prediction");
  }
  await lesson.page.getByRole("button", { name: "Skip" }).click();
  await lesson.press("End");
  expect(await lesson.page.locator("backplay-prediction .prompt").count()).toBe(0);
  expect(Number(await lesson.slider().inputValue())).toBe(steps.length - 1);
  await lesson.expectAccessible("predict mode without a question");
  await lesson.page.getByRole("button", { name: "Ask again" }).click();
  expect(await lesson.text("backplay-prediction .prompt")).toBe(inOrder[0]?.prompt.replaceAll("`", ""));
  await lesson.page.getByRole("button", { name: "Skip" }).click();
  await lesson.page.getByRole("button", { name: "Next question" }).click();
  expect(await lesson.text("backplay-prediction .prompt")).toBe(inOrder[1]?.prompt.replaceAll("`", ""));
  await lesson.press("p");
  expect(await lesson.page.locator("backplay-prediction").count()).toBe(0);
  await lesson.close();
});

test("the view zooms, moves and fits again", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  await lesson.press("End");
  const look = () =>
    lesson.page.locator("backplay-stage .world").evaluate((world) => (world as SVGElement).style.transform);
  const start = await look();
  for (let i = 0; i < 6; i++) await lesson.press("i");
  expect(await look()).not.toBe(start);
  await lesson.page.locator("backplay-stage .minimap").waitFor();
  const box = await lesson.page.locator("backplay-stage").boundingBox();
  if (!box) throw new Error("the stage has no box");
  const zoomed = await look();
  await lesson.page.mouse.move(box.x + 200, box.y + 200);
  await lesson.page.mouse.down();
  await lesson.page.mouse.move(box.x + 260, box.y + 240, { steps: 4 });
  await lesson.page.mouse.up();
  expect(await look()).not.toBe(zoomed);
  await lesson.press("f");
  expect(await look()).toBe(start);
  await lesson.close();
});

test("two fingers that move on together take the view along, and apart they zoom it", async () => {
  const lesson = await LessonPage.open(browser, { hasTouch: true });
  await lesson.run();
  await lesson.press("End");
  /** The view after each finger has gone from its first place to its second. */
  const after = (fingers: readonly (readonly [number, number, number, number])[]) =>
    lesson.page.locator("backplay-stage").evaluate(async (stage, moves) => {
      const svg = stage.shadowRoot?.querySelector("svg");
      const { left, top } = stage.getBoundingClientRect();
      const touch = (type: string, pointerId: number, x: number, y: number) =>
        (type === "pointerdown" ? svg : window)?.dispatchEvent(
          new PointerEvent(type, {
            pointerId,
            clientX: left + x,
            clientY: top + y,
            bubbles: true,
            composed: true,
            pointerType: "touch",
          }),
        );
      for (const [id, [x, y]] of moves.entries()) touch("pointerdown", id + 1, x, y);
      for (const [id, [, , x, y]] of moves.entries()) touch("pointermove", id + 1, x, y);
      for (const [id, [, , x, y]] of moves.entries()) touch("pointerup", id + 1, x, y);
      await (stage as unknown as { updateComplete: Promise<boolean> }).updateComplete;
      const world = stage.shadowRoot?.querySelector<SVGGElement>(".world");
      const { e, f, a } = new DOMMatrix(world?.style.transform);
      return { x: e, y: f, scale: a };
    }, fingers);
  const start = await after([]);
  const moved = await after([
    [200, 100, 240, 160],
    [300, 100, 340, 160],
  ]);
  expect(moved.scale).toBeCloseTo(start.scale, 5);
  expect(moved.x - start.x).toBeCloseTo(40, 3);
  expect(moved.y - start.y).toBeCloseTo(60, 3);
  const apart = await after([
    [200, 100, 150, 100],
    [300, 100, 350, 100],
  ]);
  expect(apart.scale / moved.scale).toBeCloseTo(2, 5);
  await lesson.close();
});

test("what a run made is found by its name, in a folded part too, without a mouse", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(`import torch
x = torch.tensor(0.5, requires_grad=True)
y = x
for i in range(60):
    y = y * 1.001
    if i == 30:
        needle = y.sin()
y.backward()
`);
  await lesson.press("/");
  const field = lesson.page.getByRole("textbox", { name: "Find" });
  await field.waitFor();
  await expect.poll(() => field.evaluate((each) => each.matches(":focus"))).toBe(true);
  await lesson.page.keyboard.type("no such");
  await lesson.page.getByText("Nothing in this run is called so.").waitFor();
  await field.fill("NEEDLE");
  await lesson.page.getByText("1 found").waitFor();
  await lesson.expectAccessible("what was found");
  await field.press("Enter");
  await lesson.page.locator("backplay-inspector h3", { hasText: "needle" }).waitFor();
  expect(await lesson.page.locator("backplay-code li.current").getAttribute("data-line")).toBe("7");
  await lesson.page.locator("backplay-stage .card.selected .title", { hasText: "needle" }).waitFor();
  await lesson.close();
});

test("among hundreds of operations a step takes no longer than 50 ms", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.runCode(
    "import torch\nx = torch.tensor(0.5, requires_grad=True)\ny = x\nfor i in range(3000):\n    y = y * 1.001\ny.backward()\n",
  );
  expect(await lesson.stepCount()).toBeGreaterThan(3000);
  await lesson.page.evaluate(() => {
    location.hash = "#step=3000";
  });
  await lesson.page.locator("backplay-stage .card.now").waitFor();
  const fixedWork = await costOfFixedWork(lesson.page);
  const costs = await costsOfSeeks(
    lesson.page,
    Array.from({ length: 30 }, (_, i) => 3000 + i),
  );
  const middle = quantile(
    costs.map(({ frame, next }) => frame + next),
    0.5,
  );
  console.log(
    `step among hundreds of operations: ${middle.toFixed(1)} ms of processor, fixed work ${fixedWork.toFixed(1)}`,
  );
  expect(shareOf(50, middle, fixedWork)).toBeLessThanOrEqual(1);
  await lesson.close();
});
