import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

/** The first panel of a kind, where it is in the window. */
async function boxOf(lesson: LessonPage, selector: string) {
  const box = await lesson.page.locator(selector).first().boundingBox();
  if (!box) throw new Error(`${selector} has no box`);
  return { top: box.y, bottom: box.y + box.height, ...box };
}

/** Boxes of what is pressed, of what is shown. */
const pressed = (lesson: LessonPage, selector: string) =>
  lesson.page.locator(selector).evaluateAll((all) =>
    all
      .map((each) => each.getBoundingClientRect())
      .filter(({ width }) => width > 0)
      .map(({ top, width, height }) => ({ top: Math.round(top), width, height })),
  );

const onPhone = (width: number, height: number, path: string) =>
  LessonPage.open(browser, { viewport: { width, height }, hasTouch: true, isMobile: true }, path);

const toTop = (lesson: LessonPage): Promise<void> =>
  lesson.page.locator("backplay-player").evaluate((player) => player.scrollIntoView({ block: "start" }));

describe.each([
  [360, 740],
  [390, 844],
])("at %i × %i", (width, height) => {
  test("the controls are two rows of buttons large enough for a finger, and the buttons over the code one", async () => {
    const lesson = await onPhone(width, height, "play");
    await lesson.runCode("import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * x).backward()\n");
    const buttons = await pressed(
      lesson,
      "backplay-controls .buttons button, backplay-controls .settings :is(button, label)",
    );
    expect(buttons.length).toBe(6);
    for (const { height, width } of buttons) expect(Math.min(height, width)).toBeGreaterThanOrEqual(44);
    const middles = new Set(buttons.map(({ top, height }) => Math.round((top + height / 2) / 4)));
    expect(middles.size).toBe(1);
    expect((await boxOf(lesson, "backplay-controls")).height).toBeLessThan(104);
    const over = await pressed(lesson, ".code header button");
    expect(over.length).toBe(6);
    expect(new Set(over.map(({ top }) => top)).size).toBe(1);
    await lesson.close();
  });

  test("the code is scrolled to the line that runs so that a whole line stands at its top", async () => {
    const lesson = await onPhone(width, height, "lessons/dynamic-computation-graph");
    await lesson.page.locator("backplay-player div.frame").focus();
    await lesson.press("b");
    const [tops, current] = await lesson.page.locator("backplay-code").evaluate((panel) => {
      const { top, bottom } = panel.getBoundingClientRect();
      const boxes = (look: string) =>
        [...(panel.shadowRoot?.querySelectorAll(look) ?? [])].map((li) => li.getBoundingClientRect());
      const cut = boxes("li").filter((li) => li.top < top - 1 && li.bottom > top + 1);
      return [cut.length, boxes("li.current").filter((li) => li.top >= top - 1 && li.bottom <= bottom + 1).length];
    });
    expect([tops, current]).toEqual([0, 1]);
    await lesson.close();
  });

  test("what is pressed in panels and questions is as high as a fingertip", async () => {
    const lesson = await onPhone(width, height, "lessons/gradients-accumulate");
    await lesson.page.locator("backplay-player div.frame").focus();
    await lesson.press("End");
    const heights = async (selector: string): Promise<void> => {
      await lesson.page.locator(selector).first().waitFor();
      for (const { height } of await pressed(lesson, selector)) expect(height, selector).toBeGreaterThanOrEqual(44);
    };
    await heights("backplay-variables button");
    await lesson.page.locator("backplay-variables button").first().click();
    await heights("backplay-inspector button");
    for (const tab of ["Outline", "Stops", "Compare"]) {
      await lesson.page.getByRole("tab", { name: tab }).click();
      await heights(`:is(backplay-outline, backplay-stops, backplay-comparison) :is(button, input)`);
    }
    await heights("backplay-tabs [role=tab]");
    await lesson.page.locator("backplay-player div.frame").focus();
    for (let i = 0; i < 6; i++) await lesson.press("ArrowLeft");
    await heights("backplay-narration button");
    await lesson.page.locator("article > backplay-question .choice").first().click();
    await heights("article > backplay-question button");
    await heights("backplay-try button");
    await heights("backplay-theme button");
    await lesson.close();
  });

  test("all columns of the variables are in the window, however long a value is", async () => {
    const lesson = await onPhone(width, height, "play");
    await lesson.runCode(
      "import torch\ntorch.manual_seed(0)\nweight = torch.randn(3, 4, requires_grad=True)\n(weight * 1.2345).exp().sum().backward()\n",
    );
    await lesson.press("End");
    const table = lesson.page.locator("backplay-variables");
    await table.getByText("Σ").or(table.locator(".grad.value")).first().waitFor();
    for (const each of await table.locator("th, td button").all()) {
      const box = await each.boundingBox();
      expect((box?.x ?? Number.NaN) + (box?.width ?? Number.NaN)).toBeLessThanOrEqual(width);
    }
    await table.getByRole("button", { name: "Why this .grad of weight?" }).click();
    await lesson.page.locator("backplay-inspector .reason").first().waitFor();
    await lesson.close();
  });

  test("one button goes through the grains that wider windows show side by side", async () => {
    const lesson = await onPhone(width, height, "lessons/dynamic-computation-graph");
    const grain = lesson.page.locator("backplay-controls .grain");
    const names: string[] = [];
    for (let i = 0; i < 3; i++) {
      names.push(await grain.innerText());
      await grain.click();
    }
    expect(names.sort()).toEqual(["Line", "Message", "Operation"]);
    expect(await lesson.page.getByRole("radio", { name: "Message" }).isVisible()).toBe(false);
    await lesson.close();
  });

  test("code, graph and what happens share one screen above the controls", async () => {
    const lesson = await onPhone(width, height, "lessons/dynamic-computation-graph");
    await lesson.press("]");
    await toTop(lesson);
    const [code, stage, now, controls] = await Promise.all(
      ["backplay-code", "backplay-stage", "backplay-narration .now", "backplay-controls"].map((each) =>
        boxOf(lesson, each),
      ),
    );
    if (!code || !stage || !now || !controls) throw new Error("four boxes were asked for");
    expect(code.top).toBeGreaterThanOrEqual(0);
    expect(stage.height).toBeGreaterThan(200);
    expect(now.bottom).toBeLessThanOrEqual(controls.top);
    expect(controls.bottom).toBeLessThanOrEqual(height + 1);
    await lesson.close();
  });

  test("who taps a card sees what there is to know about it", async () => {
    const lesson = await onPhone(width, height, "lessons/dynamic-computation-graph");
    await lesson.run();
    await lesson.press("End");
    await toTop(lesson);
    await lesson.page.locator("backplay-stage .card").first().tap();
    await lesson.page.locator("backplay-inspector h3").waitFor();
    const seen = async () => {
      const title = await boxOf(lesson, "backplay-inspector h3");
      return title.top >= 0 && title.bottom <= height;
    };
    await expect.poll(seen).toBe(true);
    await lesson.close();
  });

  test("who enters predict mode sees at once what to predict", async () => {
    const lesson = await onPhone(width, height, "lessons/dynamic-computation-graph");
    await toTop(lesson);
    await lesson.page.getByRole("button", { name: "Predict" }).click();
    await lesson.page.locator("backplay-prediction .choice").first().waitFor();
    const seen = async () => {
      const [prompt, controls] = [
        await boxOf(lesson, "backplay-prediction .prompt"),
        await boxOf(lesson, "backplay-controls"),
      ];
      return prompt.top >= 0 && prompt.bottom <= controls.top;
    };
    await expect.poll(seen).toBe(true);
    await lesson.expectAccessible("a prediction on a phone");
    await lesson.close();
  });
});
