import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

/** Every kind of tensor that a graph can hold. */
const KINDS = `import torch
from torch import nn

lin = nn.Linear(3, 2)
x = torch.randn(4, 3)
h = torch.relu(lin(x))
v = h.view(8)
d = h.detach()
with torch.no_grad():
    e = h * 2
big = torch.randn(20, 20, requires_grad=True, dtype=torch.float64)
loss = v.sum() + (h * d).mean() + (big * big).sum()
loss.backward()
with torch.no_grad():
    lin.weight -= 0.1 * lin.weight.grad
`;

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

/** A card by its title, fitted into view. */
const card = (lesson: LessonPage, title: string) =>
  lesson.page
    .locator("backplay-stage .card")
    .filter({ has: lesson.page.locator(".title", { hasText: new RegExp(`^${title.replace(/[.*+()]/g, "\\$&")}`) }) })
    .first();

async function playToEnd(code: string, options = {}): Promise<LessonPage> {
  const lesson = await LessonPage.open(browser, options, "play");
  await lesson.runCode(code);
  await lesson.press("End");
  await lesson.press("f");
  return lesson;
}

/** A stage on which a graph of some twenty cards can be read whole. */
const ROOMY = { viewport: { width: 5120, height: 2880 } };

test("leaves, parameters, results, constants, views and what left the graph are told apart by shape, line and label", async () => {
  const lesson = await playToEnd(KINDS, ROOMY);
  const look = async (title: string) => {
    const found = card(lesson, title);
    const outline = found.locator(".outline");
    return {
      kind: (await found.getAttribute("class"))?.split(" ")[1],
      round: Number(await outline.getAttribute("rx")) > 15,
      dashed: (await outline.evaluate((rect) => getComputedStyle(rect).strokeDasharray)) !== "none",
      title: (await found.locator(".title").textContent())?.trim(),
    };
  };
  expect(await look("lin.weight")).toEqual({
    kind: "leaf",
    round: true,
    dashed: false,
    title: "lin.weightparameterv2",
  });
  expect(await look("v")).toEqual({ kind: "operation", round: false, dashed: false, title: "vview" });
  expect(await look("loss")).toMatchObject({ kind: "operation", title: "lossroot float64" });
  expect(await look("x")).toEqual({ kind: "constant", round: false, dashed: true, title: "x" });
  expect(await look("d")).toMatchObject({ kind: "constant", dashed: true });
  expect(await look("e")).toMatchObject({ kind: "constant", dashed: true });
  expect((await lesson.page.locator("backplay-stage .cut text").allTextContents()).sort()).toEqual([
    "detach",
    "no_grad",
  ]);
  await lesson.close();
});

test("from far away a card says its name and its gradient alone, larger; closer it says everything", async () => {
  const lesson = await playToEnd(KINDS);
  const cards = lesson.page.locator("backplay-stage .distant .card");
  const spills = await cards.evaluateAll((all) =>
    all.flatMap((each) => {
      const [title, outline] = [".title.alone", ".outline"].map((part) =>
        each.querySelector(part)?.getBoundingClientRect(),
      ) as [DOMRect, DOMRect];
      return title.left < outline.left || title.right > outline.right ? [each.textContent] : [];
    }),
  );
  expect(await cards.count()).toBeGreaterThan(10);
  expect(spills).toEqual([]);
  expect(
    (
      await cards
        .filter({ hasText: /^\s*loss/ })
        .locator(".pill")
        .textContent()
    )?.trim(),
  ).toBe("∂ 1");
  expect(await cards.locator(".name").count()).toBe(0);
  await lesson.expectAccessible("a graph from far away");
  for (let i = 0; i < 5; i++) await lesson.press("i");
  expect(await cards.count()).toBe(0);
  expect(await lesson.page.locator("backplay-stage .card .name").count()).toBeGreaterThan(0);
  await lesson.close();
});

test("numbers while they are few, a heatmap when they are many, with shape and type", async () => {
  const lesson = await playToEnd(KINDS, ROOMY);
  const big = card(lesson, "big");
  expect(await big.locator(".heat path").count()).toBeGreaterThan(3);
  expect(await big.locator(".element").count()).toBe(0);
  expect(await big.locator(".shape").textContent()).toBe("20 × 20");
  expect(await big.locator("title").textContent()).toBe("big: leaf · float64 · 20 × 20");
  const weight = card(lesson, "lin.weight");
  expect(await weight.locator(".element").count()).toBe(6);
  await lesson.close();
});

test("a complex gradient is shaded by its distance from zero, and what is no number apart from it", async () => {
  const lesson = await playToEnd(
    `import torch
z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
x = torch.tensor([-1.0, 4.0, 4.0], requires_grad=True)
((z * z.conj()).real.sum() + x.sqrt().sum()).backward()
`,
    ROOMY,
  );
  const shades = async (title: string) =>
    card(lesson, title)
      .locator(".pill.sum .tiny path")
      .evaluateAll((paths) => paths.map((path) => path.getAttribute("class")));
  await lesson.page.locator("backplay-stage .pill.sum").nth(1).waitFor();
  expect(await shades("z")).toEqual(["plus-3", "plus-4"]);
  expect(await shades("x")).toEqual(["odd", "plus-4"]);
  expect(await card(lesson, "z").locator(".element").allTextContents()).toEqual(["1+2j", "3−1j"]);
  await lesson.close();
});

test("parallel edges run apart, each with its own message; ports stand in the order of the arguments", async () => {
  const lesson = await playToEnd(
    "import torch\na = torch.tensor(3.0, requires_grad=True)\nb = torch.tensor(2.0, requires_grad=True)\nc = a * a - b\nc.backward()\n",
  );
  const lines = await lesson.page
    .locator("backplay-stage path.thread")
    .evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  expect(lines).toHaveLength(4);
  expect(new Set(lines).size).toBe(4);
  const messages = await lesson.page.locator("backplay-stage .message").evaluateAll((all) =>
    all.map((each) => {
      const { x, y, width, height } = each.getBoundingClientRect();
      return { x, y, width, height, text: each.textContent?.trim() };
    }),
  );
  expect(messages.map(({ text }) => text).sort()).toEqual(["∂ 1", "∂ 3", "∂ 3", "∂ −1"]);
  for (const one of messages)
    for (const other of messages)
      if (one !== other)
        expect(
          one.x + one.width <= other.x ||
            other.x + other.width <= one.x ||
            one.y + one.height <= other.y ||
            other.y + other.height <= one.y,
        ).toBe(true);
  // Into c the product comes first, b second.
  const at = await card(lesson, "c").evaluate((element) => element.getBoundingClientRect().x);
  const ports = await lesson.page.locator("backplay-stage .port").evaluateAll(
    (all, left) =>
      all
        .map((port) => port.getBoundingClientRect())
        .filter(({ x }) => Math.abs(x - left) < 12)
        .map(({ y }) => y),
    at,
  );
  expect(ports).toHaveLength(2);
  expect(ports[0]).toBeLessThan(ports[1] ?? 0);
  await lesson.close();
});

test("an in-place write raises the version, and a view shows its own part of what was written", async () => {
  const lesson = await playToEnd(
    "import torch\nbase = torch.zeros(2, 2)\npart = base[0]\nbase.add_(3)\nw = torch.ones(2, requires_grad=True)\n(w * part).sum().backward()\n",
  );
  await lesson.page.locator("backplay-variables").getByRole("button", { name: "part", exact: true }).click();
  const facts = await lesson.text("backplay-inspector dl");
  expect(facts).toMatch(/value\s+\[3, 3\]/);
  expect(facts).toMatch(/version\s+1/);
  expect(facts).toMatch(/view of\s+base/);
  await lesson.page.getByRole("tab", { name: "Variables" }).click();
  await lesson.page.locator("backplay-variables").getByRole("button", { name: "base", exact: true }).click();
  expect(await lesson.text("backplay-inspector dl")).toMatch(/its views\s+part/);
  await lesson.close();
});

test("modules and functions stand in boxes that open and close", async () => {
  const lesson = await playToEnd(`import torch
from torch import nn

def double(t):
    return t * 2

model = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
double(model(torch.ones(1, 2))).sum().backward()
`);
  const titles = () => lesson.page.locator("backplay-stage .part-title").allTextContents();
  const open = await titles();
  expect(open.some((title) => title.includes("Linear"))).toBe(true);
  expect(open.some((title) => title.includes("double"))).toBe(true);
  const all = await lesson.page.locator("backplay-stage .card").count();
  await lesson.page.locator("backplay-stage .part-title", { hasText: "Sequential" }).click();
  const group = lesson.page.locator("backplay-stage .card.group");
  await group.waitFor();
  expect(await lesson.page.locator("backplay-stage .card").count()).toBeLessThan(all);
  await group.click();
  await expect.poll(titles).toEqual(open);
  await lesson.close();
});

test("two forward passes are two graphs, side by side", async () => {
  const lesson = await playToEnd(
    "import torch\nfor x in [2.0, 3.0]:\n    w = torch.tensor(x, requires_grad=True)\n    (w * w).backward()\n",
  );
  const boxes = await lesson.page
    .locator("backplay-stage .hull.whole")
    .evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect()).map(({ x, y, right, bottom }) => ({ x, y, right, bottom })),
    );
  expect(boxes).toHaveLength(2);
  const [one, other] = boxes;
  if (!one || !other) throw new Error("two boxes were counted");
  expect(one.right <= other.x || one.bottom <= other.y).toBe(true);
  await lesson.close();
});

test("a message travels along its edge to where it rests, and a sum adds up piece by piece", async () => {
  const lesson = await LessonPage.open(browser, { reducedMotion: "no-preference" });
  await lesson.run();
  const places = await lesson.page.evaluate(async () => {
    interface Drawn extends HTMLElement {
      shadowRoot: ShadowRoot;
      updateComplete: Promise<boolean>;
    }
    const player = document.querySelector("backplay-player") as unknown as Drawn;
    const stage = player.shadowRoot.querySelector("backplay-stage") as Drawn;
    const message = () => stage.shadowRoot.querySelector(".message.fresh");
    // Frames made by hand, sixty a second whatever the machine can do.
    const real = window.requestAnimationFrame;
    let due: FrameRequestCallback[] = [];
    window.requestAnimationFrame = (callback) => due.push(callback);
    while (!message()) {
      due = [];
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      await player.updateComplete;
      await stage.updateComplete;
    }
    const seen: string[] = [];
    for (let frame = 0; frame < 90; frame++) {
      const now = due;
      due = [];
      for (const callback of now) callback((frame * 1000) / 60);
      seen.push(message()?.getAttribute("transform") ?? "");
    }
    window.requestAnimationFrame = real;
    return seen;
  });
  expect(new Set(places).size).toBeGreaterThan(5);
  expect(places.at(-1)).toBe(places.at(-2));
  while (!(await lesson.page.locator("backplay-stage .callout").allTextContents()).join("").includes("= 5"))
    await lesson.press("ArrowRight");
  const delays = await lesson.page
    .locator("backplay-stage .callout text")
    .evaluateAll((pieces) => pieces.map((piece) => Number.parseFloat(getComputedStyle(piece).animationDelay)));
  expect(delays.length).toBeGreaterThan(2);
  expect([...delays].sort((a, b) => a - b)).toEqual(delays);
  expect(new Set(delays).size).toBeGreaterThan(2);
  await lesson.close();
});

/** Two layers and a loss: too long for one row. */
const LONG = `import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
x = torch.randn(16, 3)
loss = nn.functional.cross_entropy(net(x), torch.randint(2, (16,)))
loss.backward()
`;

test("a wire to another row ends in a letter and goes on from the same letter; a press on one leads to the other", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(LONG);
  await lesson.press("End");
  await lesson.press("f");
  const ends = lesson.page.locator("backplay-stage .leap");
  const letters = await ends.locator("text").allTextContents();
  expect(letters.length).toBeGreaterThan(0);
  for (const letter of letters) expect(letters.filter((each) => each === letter)).toHaveLength(2);
  expect(await ends.first().locator("title").textContent()).toMatch(/^Goes on to ./);
  expect(await ends.nth(1).locator("title").textContent()).toMatch(/^Comes from ./);
  await ends.first().click();
  const stage = await lesson.page.locator("backplay-stage").boundingBox();
  const there = await ends.nth(1).locator("circle").boundingBox();
  if (!stage || !there) throw new Error("there is no stage or no letter");
  expect(there.x + there.width / 2).toBeCloseTo(stage.x + stage.width / 2, 0);
  expect(there.y + there.height / 2).toBeCloseTo(stage.y + stage.height / 2, 0);
  await lesson.close();
});

test("the minimap never covers a card", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(LONG);
  await lesson.page.locator("backplay-player div.frame").focus();
  let met = 0;
  for (let step = await lesson.stepCount(); step > 0; step--) {
    const { map, covered } = await lesson.page.locator("backplay-stage").evaluate((stage) => {
      const ground = stage.shadowRoot?.querySelector(".map-ground")?.getBoundingClientRect();
      const cards = [...(stage.shadowRoot?.querySelectorAll(".card .outline") ?? [])];
      const under = cards.filter((card) => {
        const box = card.getBoundingClientRect();
        return (
          ground &&
          box.left < ground.right &&
          ground.left < box.right &&
          box.top < ground.bottom &&
          ground.top < box.bottom
        );
      });
      return { map: ground !== undefined, covered: under.length };
    });
    if (map) met++;
    expect(covered).toBe(0);
    await lesson.press("ArrowRight");
  }
  expect(met).toBeGreaterThan(10);
  await lesson.close();
});

test("the ground behind a card of a loop turn comes with the card", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(
    "import torch\nw = torch.tensor(0.9, requires_grad=True)\ny = torch.tensor(1.0)\nfor turn in range(40):\n    for k in range(5):\n        y = y * w + 0.01\ny.backward()\n",
  );
  await lesson.page.evaluate(() => {
    location.hash = "#step=300";
  });
  await lesson.page.locator("backplay-stage .card.now").waitFor();
  const empty = await lesson.page.locator("backplay-stage").evaluate((stage) => {
    const boxes = (selector: string): DOMRect[] =>
      [...(stage.shadowRoot?.querySelectorAll(selector) ?? [])].map((each) => each.getBoundingClientRect());
    const cards = boxes(".card .outline");
    const holds = (hull: DOMRect) =>
      cards.some(
        (card) =>
          card.left >= hull.left && card.right <= hull.right && card.top >= hull.top && card.bottom <= hull.bottom,
      );
    // What is out of view is not drawn, though the border of its ground may be in view.
    const { left, right, top, bottom } = stage.getBoundingClientRect();
    const grounds = boxes(".hull:not(.whole)").filter((hull) => {
      const [x, y] = [(hull.left + hull.right) / 2, (hull.top + hull.bottom) / 2];
      return x > left && x < right && y > top && y < bottom;
    });
    return { grounds: grounds.length, empty: grounds.filter((hull) => !holds(hull)).length };
  });
  expect(empty.grounds).toBeGreaterThan(0);
  expect(empty.empty).toBe(0);
  await lesson.close();
});

test("the minimap leads to another part of a large graph, keys move the view, and following can be left", async () => {
  const lesson = await LessonPage.open(browser, {}, "play");
  await lesson.runCode(KINDS);
  await lesson.press("End");
  for (let i = 0; i < 4; i++) await lesson.press("i");
  const look = () =>
    lesson.page.locator("backplay-stage .world").evaluate((world) => (world as SVGElement).style.transform);
  const map = lesson.page.locator("backplay-stage .minimap .map-ground");
  await map.waitFor();
  const before = await look();
  const box = await map.boundingBox();
  if (!box) throw new Error("the minimap has no box");
  await lesson.page.mouse.click(box.x + box.width - 12, box.y + box.height - 12);
  expect(await look()).not.toBe(before);
  const places = new Set([await look()]);
  for (const key of ["h", "j", "u", "l"]) {
    await lesson.press(key);
    places.add(await look());
  }
  // There and back, twice.
  expect(places.size).toBe(3);
  await lesson.press("a");
  const still = await look();
  await lesson.press("Home");
  await lesson.press("b");
  expect(await look()).toBe(still);
  await lesson.close();
});
