import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

const BEFORE = `import torch

a = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(4.0, requires_grad=True)
c = a * b
d = c + a
d.backward()
`;
const NOW = BEFORE.replace("4.0", "7.0").replace("d.backward()", "e = d * 2\ne.backward()");

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("a kept run stands beside the next one, scrubbed together, with what differs marked in both", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(BEFORE);
  await lesson.press("k");
  expect(await lesson.text(".told")).toContain("This run is kept");
  await lesson.runCode(NOW);
  expect(await lesson.page.locator(".told").innerText(), "it has been done").toBe("");
  const [kept, now] = ["backplay-stage.kept", "backplay-stage:not(.kept)"].map((each) => lesson.page.locator(each));
  if (!kept || !now) throw new Error("two stages were asked for");
  await kept.waitFor();
  await lesson.press("End");
  expect(await kept.locator(".card").count()).toBe(4);
  expect(await now.locator(".card").count()).toBe(5);
  const flags = await now.locator(".card").evaluateAll((cards) =>
    cards.map((card) => {
      // The name alone, without what stands beside it in smaller letters.
      const words = [...(card.querySelector(".title")?.childNodes ?? [])].filter((node) => node instanceof Text);
      const name = words.map((word) => word.textContent).join("");
      return `${name} ${card.querySelector(".difference")?.textContent ?? ""}`.replace(/\s+/g, " ").trim();
    }),
  );
  expect(flags).toContain("e only here");
  expect(flags).toContain("b ≠ value");
  expect(flags).toContain("a ≠ gradient");
  const differing = lesson.page.locator("backplay-comparison tr.differs td:first-child");
  // The comparison is loaded when it is opened.
  await differing.first().waitFor();
  const rows = await differing.allInnerTexts();
  expect(rows.sort()).toEqual(["a", "b", "c", "d", "e"]);
  await lesson.expectAccessible("two runs");
  await lesson.press("Home");
  expect(await kept.locator(".card").count()).toBe(0);
  for (let i = 0; i < 6; i++) await lesson.press("ArrowRight");
  expect(await kept.locator(".card").count()).toBe(await now.locator(".card").count());
  await lesson.press("k");
  expect(await lesson.page.locator("backplay-stage").count()).toBe(1);
  await lesson.close();
});

test("the panel keeps a run too, and then says which graph is which", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(BEFORE);
  await lesson.page.getByRole("tab", { name: "Compare" }).click();
  await lesson.page.getByRole("button", { name: "Keep this run" }).click();
  await lesson.runCode(NOW);
  await lesson.page.locator("backplay-stage.kept").waitFor();
  expect(await lesson.texts(".stages > .side", 2)).toEqual(["Before", "Now"]);
  await lesson.close();
});

test("all five columns of a comparison are in view, and no gradient is drawn over the name of its card", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  const matrices = [
    "import torch",
    "x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])",
    "w = torch.tensor([[1.0, 0.0], [0.0, -1.0]], requires_grad=True)",
    "bias = torch.tensor([0.5, -0.5], requires_grad=True)",
    "out = x @ w + bias",
    "out.sum().backward()",
  ].join("\n");
  await lesson.runCode(matrices);
  await lesson.press("k");
  await lesson.runCode(matrices.replace("sum", "mean"));
  await lesson.press("End");
  await lesson.page.locator("backplay-comparison tr.differs").first().waitFor();
  const edges = await lesson.page.locator("backplay-comparison").evaluate((panel) => {
    const columns = [...(panel.shadowRoot?.querySelectorAll("th") ?? [])].map((th) => th.getBoundingClientRect().right);
    return { columns, panel: panel.getBoundingClientRect().right };
  });
  expect(edges.columns.length).toBe(5);
  expect(Math.max(...edges.columns)).toBeLessThanOrEqual(edges.panel + 1);
  const distant = lesson.page.locator("backplay-stage .distant .card:has(.title.alone):has(.pill)");
  await distant.first().waitFor();
  const overlaps = await distant.evaluateAll((cards) =>
    cards.flatMap((card) => {
      const [title, pill] = [".title.alone", ".pill rect"].map((part) => card.querySelector(part));
      if (!title || !pill) return [card.textContent];
      // Of the letters' line a tenth stands free below the lowest stroke.
      const letters = title.getBoundingClientRect();
      return letters.bottom - letters.height * 0.1 > pill.getBoundingClientRect().top ? [card.textContent] : [];
    }),
  );
  expect(overlaps).toEqual([]);
  await lesson.close();
});

test("neither of two runs is drawn larger than the other, and of a row only what differs is marked", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(BEFORE);
  await lesson.press("k");
  await lesson.runCode(NOW);
  await lesson.page.locator("backplay-stage.kept .world").waitFor({ state: "attached" });
  const scales = () =>
    lesson.page
      .locator("backplay-stage .world")
      .evaluateAll((worlds) =>
        worlds.map((world) => /scale\(([\d.]+)\)/.exec((world as SVGElement).style.transform)?.[1]),
      );
  await expect.poll(async () => new Set((await scales()).map((scale) => Number(scale).toFixed(3))).size).toBe(1);
  await lesson.press("End");
  await lesson.page.locator("backplay-comparison tr.differs").first().waitFor();
  const marked = await lesson.page
    .locator("backplay-comparison tbody tr")
    .evaluateAll((rows) =>
      Object.fromEntries(
        rows.map((each) => [
          each.children[0]?.textContent,
          [...each.children].map(({ classList }) => +classList.contains("differs")),
        ]),
      ),
    );
  expect(marked).toMatchObject({ a: [0, 0, 0, 1, 1], b: [0, 1, 1, 1, 1], c: [0, 1, 1, 0, 0], e: [0, 1, 1, 1, 1] });
  await lesson.close();
});

test("two shared links are compared, and one link then carries both", async () => {
  const linkOf = async (code: string): Promise<string> => {
    const sender = await LessonPage.open(browser, {}, "play");
    await sender.runCode(code);
    const hash = await sender.link("code=");
    await sender.close();
    return hash;
  };
  const [before, now] = [await linkOf(BEFORE), await linkOf(NOW)];
  const lesson = await LessonPage.open(browser, {}, `play${now}`);
  await lesson.page.locator("backplay-player div.frame:not(.busy)").waitFor();
  await lesson.page.getByRole("tab", { name: "Compare" }).click();
  const field = lesson.page.getByRole("textbox", { name: "A link to other code" });
  await lesson.expectAccessible("the invitation to compare");
  await field.fill("https://example.org/no-code");
  await field.press("Enter");
  await lesson.page.getByText("That is no link to code").waitFor();
  await field.fill(`https://example.org/play${before}`);
  await field.press("Enter");
  const seen = async (page: LessonPage) => {
    await page.page.locator("backplay-stage.kept").waitFor();
    await page.page.locator("backplay-player div.frame").focus();
    await page.press("End");
    const rows = page.page.locator("backplay-comparison tr.differs");
    await rows.first().waitFor();
    return rows.allInnerTexts();
  };
  const differs = await seen(lesson);
  expect(differs.map((row) => row.replace(/\s+/g, " ").trim())).toContain("b 4 7 3 6");
  const both = await lesson.link("with=");
  await lesson.close();
  const receiver = await LessonPage.open(browser, {}, `play${both}`);
  expect(await seen(receiver)).toEqual(differs);
  await receiver.close();
});

/** A training step of two layers, and the same with another rate: every leaf differs in its gradient. */
const LAYERS = (scale: number) => `import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
x = torch.tensor([[1.0, -1.0], [2.0, 0.5]])
loss = (${scale} * net(x)).pow(2).mean()
loss.backward()
`;

test.each([
  ["wide", { viewport: { width: 1440, height: 900 } }],
  ["narrow", { viewport: { width: 390, height: 844 } }],
])(
  "no flag of what differs lies over a message, nor over more than the edge of its card, on a %s stage",
  async (_, options) => {
    const lesson = await LessonPage.open(browser, options, "play");
    for (const [before, now] of [
      [BEFORE, NOW],
      [LAYERS(1), LAYERS(2)],
    ] as const) {
      await lesson.runCode(before);
      await lesson.press("k");
      await lesson.runCode(now);
      await lesson.page.locator("backplay-stage.kept").waitFor();
      let flags = 0;
      for (const key of ["End", "f", "i"]) {
        await lesson.press(key);
        const covered = await lesson.page.locator("backplay-stage").evaluateAll((stages) =>
          stages.map(({ shadowRoot }) => {
            const boxes = (selector: string): DOMRect[] =>
              [...(shadowRoot?.querySelectorAll(selector) ?? [])].map((each) => each.getBoundingClientRect());
            const messages = boxes(".message .sized > rect");
            const flags = boxes(".difference rect");
            const scale = new DOMMatrix(getComputedStyle(shadowRoot?.querySelector(".world") as Element).transform).a;
            const laps = [...(shadowRoot?.querySelectorAll(".card:has(.difference)") ?? [])].map((card) => {
              const [flag, body] = [".difference rect", ".outline"].map((part) =>
                (card.querySelector(part) as Element).getBoundingClientRect(),
              ) as [DOMRect, DOMRect];
              return (Math.min(flag.bottom, body.bottom) - Math.max(flag.top, body.top)) / scale;
            });
            const lies = (a: DOMRect, b: DOMRect) =>
              a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
            return {
              flags: flags.length,
              over: flags.filter((flag) => messages.some((each) => lies(flag, each))).length,
              lap: Math.max(0, ...laps),
            };
          }),
        );
        flags += covered.reduce((sum, each) => sum + each.flags, 0);
        expect(covered.map(({ over }) => over)).toEqual([0, 0]);
        for (const { lap } of covered) expect(lap, "of a flag over its card").toBeLessThan(10);
      }
      expect(flags).toBeGreaterThan(6);
      await lesson.press("k");
    }
    await lesson.close();
  },
);
