import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Step } from "../../src/trace/types";
import { LessonPage, launch } from "./page";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

type Snapshot = Readonly<Record<"delivered" | "travelled", number>> & { readonly pill: string };

/** Takes the step of a kind forward and looks at the stage at once, in the middle of its movement, and at its end. */
async function played(lesson: LessonPage, kind: Step["kind"]): Promise<readonly Snapshot[]> {
  await lesson.page.locator("backplay-stage").waitFor();
  return lesson.page.evaluate(async (wanted) => {
    interface Inside extends HTMLElement {
      looking: { trace: { steps: { kind: string }[] } };
      clock: { seek(step: number): void };
      updateComplete: Promise<boolean>;
    }
    const player = document.querySelector("backplay-player") as unknown as Inside;
    const stage = () => player.shadowRoot?.querySelector("backplay-stage")?.shadowRoot;
    const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    while (!player.looking.trace) await wait(20);
    const step = player.looking.trace.steps.findLastIndex((each) => each.kind === wanted);
    const message = (): string =>
      [...(stage()?.querySelectorAll(".message.fresh") ?? [])].map((each) => each.getAttribute("transform")).join();
    const look = (from: string) => ({
      delivered: stage()?.querySelectorAll(".delivered").length ?? 0,
      travelled: message() === from ? 0 : 1,
      pill: getComputedStyle(stage()?.querySelector(".summed text, .stored text") ?? document.body).fillOpacity,
    });
    player.clock.seek(step - 1);
    await wait(700);
    player.clock.seek(step);
    await player.updateComplete;
    await wait(40);
    const start = message();
    const during = look(start);
    await wait(1200);
    return [during, look(start)];
  }, kind);
}

test("a message travels along its thread", async () => {
  const lesson = await LessonPage.open(browser, { reducedMotion: "no-preference" });
  const [, after] = await played(lesson, "message_sent");
  expect(after?.travelled).toBe(1);
  await lesson.close();
});

test("what is added goes into the node, and the sum shows when it is there", async () => {
  const lesson = await LessonPage.open(browser, { reducedMotion: "no-preference" });
  const [during, after] = await played(lesson, "messages_summed");
  expect(during).toMatchObject({ delivered: 2, pill: "0" });
  expect(after).toMatchObject({ delivered: 0, pill: "1" });
  await lesson.close();
});

test("a stored gradient goes into .grad and shows when it is there", async () => {
  const lesson = await LessonPage.open(browser, { reducedMotion: "no-preference" });
  const [during, after] = await played(lesson, "gradient_stored");
  expect(during).toMatchObject({ delivered: 1, pill: "0" });
  expect(after).toMatchObject({ delivered: 0, pill: "1" });
  await lesson.close();
});

test("nothing travels for who asked for less motion", async () => {
  const lesson = await LessonPage.open(browser);
  for (const kind of ["message_sent", "messages_summed", "gradient_stored"] as const) {
    const [during] = await played(lesson, kind);
    expect(during).toMatchObject({ delivered: 0 });
  }
  await lesson.close();
});
