import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

const LOOP = `import torch

w = torch.tensor(2.0, requires_grad=True)
for x in [1.0, 2.0, 3.0]:
    y = w * x
    z = y * y
    z.backward()
    if x == 2.0:
        breakpoint()
print(w.grad)
`;

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

const stepOf = async (lesson: LessonPage): Promise<number> => Number(await lesson.slider().inputValue());

test("keys step over a loop turn, to the next backward, and to the next change of the chosen tensor", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(LOOP);
  await lesson.press("b");
  expect(await lesson.announced()).toMatch(/backward/i);
  const first = await stepOf(lesson);
  await lesson.press("b");
  expect(await stepOf(lesson)).toBeGreaterThan(first);
  await lesson.press("Shift+B");
  expect(await stepOf(lesson)).toBe(first);
  await lesson.page.locator("backplay-variables").getByRole("button", { name: "w", exact: true }).click();
  await lesson.page.locator("backplay-player div.frame").focus();
  await lesson.press("Home");
  const grads: string[] = [];
  for (let i = 0; i < 12; i++) {
    await lesson.press(".");
    grads.push((await lesson.text("backplay-inspector dd:nth-of-type(2)")).trim());
  }
  expect([...new Set(grads)].slice(-3)).toEqual(["4", "20", "56"]);
  await lesson.close();
});

test("the name of the chapter that is played covers the chapter's own label, whatever side it is written from", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(LOOP);
  const sides = new Set<string>();
  for (let i = 0; i < 12; i++) {
    const { side, covers } = await lesson.page.locator("backplay-controls").evaluate((controls) => {
      const root = controls.shadowRoot;
      const here = root?.querySelector(".here");
      const name = here?.textContent;
      const own = [...(root?.querySelectorAll("button.chapter") ?? [])].find(({ textContent }) => textContent === name);
      const [a, b] = [here?.getBoundingClientRect(), own?.getBoundingClientRect()];
      const late = here?.classList.contains("late") ?? false;
      return { side: late ? "late" : "early", covers: !a || !b || a.left <= b.left + 1 };
    });
    sides.add(side);
    expect(covers).toBe(true);
    await lesson.press("]");
  }
  expect([...sides].sort()).toEqual(["early", "late"]);
  await lesson.close();
});

test("no letter of another chapter's label looks out from behind the name of the one that is played", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(`import torch

net = torch.nn.Linear(4, 1)
for epoch in range(3):
    loss = net(torch.ones(16, 4)).mean()
    loss.backward()
`);
  for (let i = 0; i < 14; i++) {
    const cut = await lesson.page.locator("backplay-controls").evaluate((controls) => {
      const root = controls.shadowRoot;
      const here = root?.querySelector(".here");
      if (!root || !here) throw new Error("expected a name above the slider");
      const fading = 16;
      const { left, right } = here.getBoundingClientRect();
      const [from, to] = here.classList.contains("late") ? [left + fading, right] : [left, right - fading];
      return [...root.querySelectorAll<HTMLElement>("button.chapter span")]
        .filter((label) => getComputedStyle(label).visibility === "visible")
        .filter((label) => {
          const box = label.getBoundingClientRect();
          const seen = Math.min(box.left + label.scrollWidth, box.right);
          return box.left < right - 1 && seen > left + 1 && (box.left < from - 1 || seen > to + 1);
        })
        .map(({ textContent }) => textContent);
    });
    expect(cut).toEqual([]);
    await lesson.press("]");
  }
  await lesson.close();
});

test("a key steps over a whole loop turn, another over a whole call", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(LOOP);
  await lesson.page.locator('backplay-code li[data-line="4"] .line').click();
  const turns: string[] = [];
  for (let i = 0; i < 3; i++) {
    await lesson.press("n");
    turns.push(await lesson.text("backplay-variables tr:has(button:text-is('w')) td:nth-child(3) > span"));
  }
  expect(turns).toEqual(["4", "20", "56"]);
  await lesson.runCode(
    "import torch\ndef square(t):\n    inner = t * t\n    return inner\nx = torch.tensor(3.0, requires_grad=True)\ny = square(x)\nz = y + 1\n",
  );
  await lesson.page.locator('backplay-code li[data-line="5"] .line').click();
  await lesson.press("ArrowRight");
  await lesson.press("n");
  expect(await lesson.page.locator("backplay-code li.current").getAttribute("data-line")).not.toBe("3");
  expect(await lesson.text("backplay-variables tr:has-text('inner')")).toContain("9");
  expect(await lesson.text("backplay-variables tr:has-text('z')")).toContain("not computed yet");
  await lesson.close();
});

test("a condition halts the way where it begins to hold; a bookmark and a marked line do too", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(LOOP);
  await lesson.page.getByRole("tab", { name: "Stops" }).click();
  const field = lesson.page.getByRole("textbox", { name: "Stop when" });
  await field.fill("w.grad >> 3");
  await field.press("Enter");
  expect(await lesson.text("backplay-stops .fault")).toContain("a.grad > 3");
  await field.fill("w.grad > 10");
  await field.press("Enter");
  await lesson.expectAccessible("the stops");
  await lesson.page.locator("backplay-player div.frame").focus();
  await lesson.press("Home");
  await lesson.press("c");
  expect(await lesson.text("backplay-narration .now")).toContain("20");
  await lesson.press("c");
  expect(await lesson.page.locator("backplay-code li.current").getAttribute("data-line")).toBe("9");
  await lesson.page.getByRole("button", { name: "Breakpoint on line 10" }).click();
  await lesson.page.locator("backplay-player div.frame").focus();
  await lesson.press("c");
  expect(await lesson.page.locator("backplay-code li.current").getAttribute("data-line")).toBe("10");
  await lesson.close();
});

test("the scrubber shows phases, warnings and the error that ended the run, and leads to them", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(
    "import torch\nw = torch.tensor(2.0, requires_grad=True)\nx = torch.tensor(w)\ny = w * x\ny.backward()\ny.backward()\n",
  );
  const marks = (kind: string) => lesson.page.locator(`backplay-controls .mark.${kind}`);
  expect(await marks("warning").count()).toBeGreaterThan(0);
  expect(await marks("error").count()).toBe(1);
  expect(await marks("error").getAttribute("title")).toContain("RuntimeError");
  const phases = await lesson.page
    .locator("backplay-controls .chapter")
    .evaluateAll((all) => all.map((each) => [...each.classList].join(" ")));
  expect(phases.some((phase) => phase.includes("forward"))).toBe(true);
  expect(phases.some((phase) => phase.includes("backward"))).toBe(true);
  await lesson.page
    .locator("backplay-controls button.chapter.backward")
    .first()
    .click({ position: { x: 8, y: 4 } });
  expect(await lesson.announced()).toMatch(/backward/i);
  await lesson.close();
});

test("scrubbing writes the address no more often than browsers allow, and ends at the right step", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  await lesson.page.evaluate(() => {
    const replace = history.replaceState.bind(history);
    history.replaceState = (...all) => {
      document.body.dataset.writes = String(Number(document.body.dataset.writes ?? 0) + 1);
      replace(...all);
    };
  });
  const last = (await lesson.stepCount()) - 1;
  const took = await lesson.page.evaluate(async (end) => {
    const controls = document.querySelector("backplay-player")?.shadowRoot?.querySelector("backplay-controls");
    const start = performance.now();
    for (let step = 0; step <= end; step++) {
      controls?.dispatchEvent(new CustomEvent("seek", { detail: step }));
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return performance.now() - start;
  }, last);
  await expect.poll(() => new URL(lesson.page.url()).hash).toBe(`#step=${last + 1}`);
  const writes = Number(await lesson.page.evaluate(() => document.body.dataset.writes));
  // Safari refuses more than 100 in 30 seconds.
  expect(writes).toBeLessThanOrEqual(2 + (took / 30_000) * 100);
  await lesson.close();
});

test("a step that was put into the address is gone to, even where an earlier one has been written over it since", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.run();
  // The player writes a late step while the news of the person's is under way: the address says 1, the news says 9.
  await lesson.page.evaluate(() =>
    dispatchEvent(new HashChangeEvent("hashchange", { newURL: new URL("#step=9", location.href).href })),
  );
  await expect.poll(() => lesson.announced()).toMatch(/^Step 9\./);
  await lesson.close();
});

test("the line of a step becomes a stop by key", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(LOOP);
  await lesson.page.locator('backplay-code li[data-line="6"] .line').click();
  await lesson.page.locator("backplay-player div.frame").focus();
  await lesson.press("s");
  expect(await lesson.page.getByRole("button", { name: "Breakpoint on line 6" }).getAttribute("aria-pressed")).toBe(
    "true",
  );
  await lesson.press("Home");
  await lesson.press("c");
  expect(await lesson.page.locator("backplay-code li.current").getAttribute("data-line")).toBe("6");
  await lesson.press("s");
  expect(await lesson.text("backplay-player .told")).toBe("No stop at line 6.");
  await lesson.close();
});

test("the stops say where bookmarks are and which condition can never hold, and the way to the next tells when there is none", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(LOOP);
  await lesson.page.getByRole("tab", { name: "Stops" }).click();
  const field = lesson.page.getByRole("textbox", { name: "Stop when" });
  for (const condition of ["nobody > 3", "w.grad > 10"]) {
    await field.fill(condition);
    await field.press("Enter");
  }
  expect(await lesson.texts("backplay-stops ul li", 2)).toEqual([
    "nobody > 3\nno such name in this run",
    "w.grad > 10",
  ]);
  const [bookmark] = await lesson.texts("backplay-stops ol button");
  const told = /^Step (\d+): breakpoint\(\)/.exec(bookmark ?? "");
  await lesson.page.locator("backplay-stops ol button").click();
  expect(await stepOf(lesson)).toBe(Number(told?.[1]) - 1);
  await lesson.page.locator("backplay-player div.frame").focus();
  await lesson.press("End");
  await lesson.press("c");
  expect(await lesson.text("backplay-player .told")).toBe("This is the end: no stop is ahead.");
  await lesson.press("Home");
  expect(await lesson.page.locator("backplay-player .told").innerText()).toBe("");
  await lesson.close();
});

test("the scrubber shows loop turns, bookmarks and prints", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(LOOP);
  for (const [kind, count] of [
    ["turn", 3],
    ["bookmark", 1],
    ["print", 1],
  ] as const)
    expect(await lesson.page.locator(`backplay-controls .mark.${kind}`).count(), kind).toBe(count);
  await lesson.close();
});

test("a large loop opens the turn where the action is, in both directions, and stays where it is told to", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(
    "import torch\nw = torch.tensor(0.9, requires_grad=True)\nh = w * 1\nfor t in range(60):\n    h = torch.tanh(h * w)\nh.backward()\n",
  );
  await lesson.page.getByRole("tab", { name: "Outline" }).click();
  const groups = () =>
    lesson.page
      .locator("backplay-outline li", { hasText: "operations" })
      .locator("button:first-child")
      .allTextContents();
  await lesson.page.locator("backplay-player div.frame").focus();
  await lesson.press("b");
  // The outline is loaded when it is opened.
  await expect.poll(groups).toHaveLength(1);
  expect((await lesson.cards()).length).toBeLessThan(40);
  await lesson.press("End");
  const start = await groups();
  expect(start).toHaveLength(1);
  await lesson.press("a");
  await lesson.press("Home");
  await lesson.press("b");
  expect(await groups()).toEqual(start);
  await lesson.press("a");
  expect(await groups()).not.toEqual(start);
  await lesson.expectAccessible("a folded loop");
  await lesson.close();
});
