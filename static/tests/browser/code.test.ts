import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

const CODE = `import torch

w = torch.tensor(2.0, requires_grad=True)
for x in [1.0, 2.0, 3.0]:
    y = w * x
    w.data.mul_(1.5)
    (y * 2).backward()
x = torch.tensor(w)
y.backward()
`;

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

const line = (lesson: LessonPage, number: number) => lesson.page.locator(`backplay-code li[data-line="${number}"]`);

test("beside every line stand how often it ran and what it last gave", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(CODE);
  expect(await line(lesson, 5).locator(".times").innerText()).toBe("");
  await lesson.press("End");
  const times = await Promise.all([1, 3, 5, 7].map((number) => line(lesson, number).locator(".times").innerText()));
  expect(times).toEqual(["1×", "1×", "3×", "3×"]);
  expect(await line(lesson, 5).locator(".result").innerText()).toBe("y = 13.5");
  // A line that binds no name tells the tensor that it made.
  expect(await line(lesson, 7).locator(".result").innerText()).toBe("→ 27");
  expect(await line(lesson, 2).locator(".result").count()).toBe(0);
  await lesson.close();
});

test("a value beside a line takes the room that is left, and never makes the code scroll", async () => {
  const lesson = await LessonPage.open(browser, { viewport: { width: 390, height: 844 } }, "play");
  await lesson.runCode("import torch\nx = torch.arange(12.0)\ny = torch.zeros_like(x) + 2.0 * x\nz = y[3:5]\n");
  await lesson.press("End");
  expect(await line(lesson, 3).locator(".result").getAttribute("title")).toBe("y = float32 [12]");
  const { panel, ends } = await lesson.page.locator("backplay-code").evaluate((code) => ({
    panel: [code.scrollWidth, code.clientWidth],
    ends: [...(code.shadowRoot?.querySelectorAll(".result") ?? [])].map((each) => each.getBoundingClientRect().right),
  }));
  expect(panel[0]).toBe(panel[1]);
  expect(ends.length).toBeGreaterThan(1);
  for (const end of ends) expect(end).toBeLessThanOrEqual(390);
  // Beside a line that fills the panel there is none, though another line be longer still.
  await lesson.runCode(
    `import torch\nx = torch.tensor([${"1.0, ".repeat(7)}])\ny = torch.tensor([${"1.0, ".repeat(20)}])\n`,
  );
  await lesson.press("End");
  expect(await line(lesson, 2).locator(".result").count()).toBe(1);
  expect(await line(lesson, 2).locator(".result").innerText()).toBe("");
  await lesson.close();
});

test("the current columns are lit, several on one line apart", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  const seen = new Set<string>();
  for (let step = 0; step < (await lesson.stepCount()); step++) {
    seen.add((await line(lesson, 6).locator(".lit").allInnerTexts()).join(""));
    await lesson.press("ArrowRight");
  }
  const lit = [...seen].map((text) => text.trim()).filter(Boolean);
  expect(lit.length).toBeGreaterThan(1);
  await lesson.close();
});

test("errors and warnings stand in the margin, in the editor as well", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(CODE);
  expect(await line(lesson, 9).locator(".flag.error").getAttribute("aria-label")).toMatch(/^Error: RuntimeError/);
  expect(await line(lesson, 8).locator(".flag.warning").getAttribute("aria-label")).toMatch(/^Warning: /);
  await lesson.expectAccessible("flags in the margin");
  await lesson.page.getByRole("button", { name: "Edit", exact: true }).click();
  await lesson.page.locator(".cm-lint-marker-error").waitFor();
  expect(await lesson.page.locator(".cm-lint-marker-warning").count()).toBeGreaterThan(0);
  await lesson.close();
});

test("nothing moves when the editor opens", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode("import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * x).backward()\n");
  /** Where the word stands on the line. */
  const placeOf = (line: string) =>
    lesson.page.locator(line).evaluate((each) => {
      const walk = document.createTreeWalker(each, NodeFilter.SHOW_TEXT);
      while (walk.nextNode() && !walk.currentNode.textContent?.includes("import"));
      const range = document.createRange();
      range.selectNode(walk.currentNode);
      const { left, top } = range.getBoundingClientRect();
      return [Math.round(left), Math.round(top)];
    });
  const before = await placeOf("backplay-code li[data-line='1'] .line");
  await lesson.page.getByRole("button", { name: "Edit", exact: true }).click();
  await lesson.page.locator(".cm-line").first().waitFor();
  expect(await placeOf(".cm-line >> nth=0")).toEqual(before);
  await lesson.close();
});

test("the editor colours Python and matches brackets", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(CODE);
  await lesson.page.getByRole("button", { name: "Edit", exact: true }).click();
  const editor = lesson.page.getByRole("textbox", { name: "Code editor" });
  await editor.waitFor();
  const weight = (text: string) =>
    editor
      .locator("span", { hasText: new RegExp(`^${text}$`) })
      .first()
      .evaluate((span) => getComputedStyle(span).fontWeight);
  expect(await weight("import")).toBe("600");
  await editor.press("Control+Home");
  await editor.press("Control+End");
  await lesson.page.keyboard.type("print((1))");
  await lesson.page.locator(".cm-matchingBracket").first().waitFor();
  await lesson.close();
});

test("choosing a card scrolls the code to its source", async () => {
  const filler = Array.from({ length: 40 }, (_, i) => `# ${i}`).join("\n");
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(`import torch\na = torch.tensor(3.0, requires_grad=True)\n${filler}\nb = a * a\nb.backward()\n`);
  await lesson.press("b");
  const isInView = (number: number) =>
    line(lesson, number).evaluate((element) => {
      const [own, code] = [element.getBoundingClientRect(), element.closest("ol")?.getRootNode() as ShadowRoot].map(
        (each) => (each instanceof ShadowRoot ? each.host.getBoundingClientRect() : each),
      ) as [DOMRect, DOMRect];
      return own.top >= code.top - 1 && own.bottom <= code.bottom + 1;
    });
  expect(await isInView(2)).toBe(false);
  await lesson.page.locator("backplay-stage .card.leaf").first().click();
  expect(await isInView(2)).toBe(true);
  expect((await line(lesson, 2).locator(".source").allInnerTexts()).join("")).toContain("torch.tensor(3.0");
  await lesson.close();
});

test("whatever line is shown last, the panel's first one is whole, at the very end too", async () => {
  const lines = ["import torch", "a = torch.tensor(1.0, requires_grad=True)"];
  for (let i = 0; i < 26; i++) lines.push(`a = a * ${i + 1}`);
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode([...lines, "a.backward()"].join("\n"));
  const tops = new Set<number>();
  const numbers = Array.from({ length: lines.length - 8 }, (_, i) => i + 10);
  const resized = [890, 900].flatMap((height) => [2, lines.length + 1].map((number) => ({ number, height })));
  for (const { number, height } of [...numbers.map((number) => ({ number, height: 880 })), ...resized]) {
    await lesson.page.setViewportSize({ width: 1440, height });
    await line(lesson, number).locator(".line").dispatchEvent("click");
    await line(lesson, number).and(lesson.page.locator(".current")).waitFor();
    const cut = await lesson.page.locator("backplay-code").evaluate((panel) => {
      const { top } = panel.getBoundingClientRect();
      const items = [...(panel.shadowRoot?.querySelectorAll("li") ?? [])].map((each) => each.getBoundingClientRect());
      return items.filter((each) => each.top < top - 1 && each.bottom > top + 1).length;
    });
    expect(cut, `lines cut at the top when line ${number} is shown in a window ${height} high`).toBe(0);
    tops.add(await lesson.page.locator("backplay-code").evaluate((panel) => panel.scrollTop));
  }
  expect(tops.size).toBeGreaterThan(3);
  await lesson.close();
});
