import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

/** What has the keyboard, through all shadow roots: its role or element, and its name. */
const focused = (lesson: LessonPage): Promise<string> =>
  lesson.page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    const name = at?.getAttribute("aria-label") ?? at?.getAttribute("aria-labelledby") ?? at?.textContent ?? "";
    return `${at?.getAttribute("role") ?? at?.localName}: ${name.replace(/\s+/g, " ").trim().slice(0, 40)}`;
  });

/** Goes on by Tab until something has the keyboard; fails if it never has. */
async function tabTo(lesson: LessonPage, wanted: RegExp): Promise<void> {
  const seen: string[] = [];
  while (seen.length < 60) {
    await lesson.press("Tab");
    const at = await focused(lesson);
    if (wanted.test(at)) return;
    seen.push(at);
  }
  throw new Error(`Tab never came to ${wanted}, only to ${seen.join("; ")}`);
}

async function atTheEnd(): Promise<LessonPage> {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  await lesson.press("End");
  return lesson;
}

describe("what is chosen with the keyboard leads it into the panel that opens", () => {
  test("from a name in the table", async () => {
    const lesson = await atTheEnd();
    await tabTo(lesson, /^button: a$/);
    await lesson.press("Enter");
    await expect.poll(() => focused(lesson)).toBe("tabpanel: Inspector");
    await lesson.page.locator("backplay-inspector h3").waitFor();
    await tabTo(lesson, /^button: Previous change$/);
    // To the first change and beyond: a button that can do no more still has the keyboard.
    for (let i = 0; i < 6; i++) await lesson.press("Enter");
    expect(await focused(lesson)).toBe("button: Previous change");
    await lesson.close();
  });

  test("from what was found, and from a row of the outline; Escape empties the field, then leaves it", async () => {
    const lesson = await atTheEnd();
    await lesson.press("/");
    await expect.poll(() => focused(lesson)).toMatch(/^input/);
    await lesson.page.keyboard.type("c");
    await lesson.page.getByText(/^\d+ found$/).waitFor();
    await lesson.press("Escape");
    expect(await focused(lesson)).toMatch(/^input/);
    await lesson.page.getByRole("list", { name: "Graph as a list" }).waitFor();
    await lesson.press("Escape");
    expect(await focused(lesson)).toBe("tabpanel: Outline");
    await tabTo(lesson, /^button: b$/);
    await lesson.press("Enter");
    await expect.poll(() => focused(lesson)).toBe("tabpanel: Inspector");
    await lesson.press("/");
    await expect.poll(() => focused(lesson)).toMatch(/^input/);
    await lesson.page.keyboard.type("c");
    await lesson.press("Enter");
    await expect.poll(() => focused(lesson)).toBe("tabpanel: Inspector");
    await lesson.close();
  });

  test("from the way between two questions to the next one, and from the last hint to what is left", async () => {
    const lesson = await LessonPage.open(browser);
    await lesson.run();
    await lesson.press("p");
    const way = lesson.page.locator("backplay-prediction .between button");
    while ((await way.count()) === 0) await lesson.press("ArrowRight");
    await way.focus();
    await lesson.press("Enter");
    await expect.poll(() => focused(lesson)).toMatch(/^button: 1/);
    const hint = lesson.page.locator("backplay-prediction .hint");
    await hint.focus();
    while ((await hint.count()) > 0) await lesson.press("Enter");
    await expect.poll(() => focused(lesson)).toMatch(/^button: \d/);
    await lesson.close();
  });
});

test("while a dialog is open nothing behind it moves, and what opened it has the keyboard again", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.run();
  for (const [name, title] of [
    ["Examples", "Examples"],
    ["Share", "Share"],
    ["Keys and help", "Keys"],
  ] as const) {
    await lesson.page.getByRole("button", { name, exact: true }).focus();
    await lesson.press("Enter");
    const dialog = lesson.page.getByRole("dialog", { name: title });
    await dialog.waitFor();
    for (const key of ["ArrowRight", "End", "e", "p", "Control+Enter"]) await lesson.press(key);
    // A press beside everything that can be pressed takes the keyboard nowhere else.
    await dialog.getByRole("heading", { level: 2 }).click();
    await lesson.press("ArrowRight");
    expect(await lesson.slider().inputValue()).toBe("0");
    expect(await lesson.page.getByRole("textbox", { name: "Code editor" }).count()).toBe(0);
    await lesson.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    expect(await focused(lesson)).toBe(`button: ${name}`);
  }
  await lesson.press("?");
  await lesson.page.getByRole("dialog", { name: "Keys" }).waitFor();
  await lesson.press("?");
  await lesson.page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" });
  await lesson.close();
});

test("one of many lines is on the way of Tab, and the arrow keys lead from it to the others", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  const lines = Array.from({ length: 40 }, (_, i) => `y${i} = x * ${i}`).join("\n");
  await lesson.runCode(`import torch\nx = torch.tensor(2.0, requires_grad=True)\n${lines}\n`);
  await lesson.press("Shift+ArrowRight");
  await lesson.press("Shift+ArrowRight");
  await tabTo(lesson, /Breakpoint on line 3$/);
  await lesson.press("ArrowDown");
  await lesson.press("ArrowDown");
  expect(await focused(lesson)).toBe("button: Breakpoint on line 5");
  await lesson.press("Enter");
  await lesson.page.locator("backplay-code li[data-line='5'] .gutter[aria-pressed=true]").waitFor();
  await lesson.press("ArrowUp");
  expect(await focused(lesson)).toBe("button: Breakpoint on line 4");
  await lesson.press("Tab");
  expect(await focused(lesson)).toBe("button: Follow");
  await lesson.close();
});
