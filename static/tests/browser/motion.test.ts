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

/**
 * Takes the step of a kind forward and looks at the stage at once, before anything can have moved, and when everything has come to rest.
 * No time is waited for: on a busy machine a movement may start late and take few frames.
 */
async function played(lesson: LessonPage, kind: Step["kind"]): Promise<readonly Snapshot[]> {
  await lesson.page.locator("backplay-stage svg").waitFor();
  return lesson.page.evaluate(async (wanted) => {
    interface Drawn extends HTMLElement {
      shadowRoot: ShadowRoot;
      updateComplete: Promise<boolean>;
    }
    interface Inside extends Drawn {
      looking: { trace: { steps: { kind: string }[] } };
      clock: { seek(step: number): void };
    }
    const player = document.querySelector("backplay-player") as unknown as Inside;
    const stage = player.shadowRoot.querySelector("backplay-stage") as Drawn;
    const step = player.looking.trace.steps.findLastIndex((each) => each.kind === wanted);
    const find = (look: string): SVGElement[] => [...stage.shadowRoot.querySelectorAll<SVGElement>(look)];
    const message = (): string =>
      find(".message.fresh")
        .map((each) => each.getAttribute("transform"))
        .join();
    const look = (from: string) => ({
      delivered: find(".delivered").length,
      travelled: message() === from ? 0 : 1,
      pill: getComputedStyle(find(".summed text, .stored text")[0] ?? document.body).fillOpacity,
    });
    const goTo = async (at: number): Promise<void> => {
      player.clock.seek(at);
      await player.updateComplete;
      await stage.updateComplete;
    };
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    // At rest: what is delivered has gone, styles no longer change, and messages have stood still for some frames.
    const rest = async (): Promise<void> => {
      for (let still = 0, before = message(); still < 10; before = message()) {
        await frame();
        await Promise.allSettled(find("*").flatMap((each) => each.getAnimations().map((motion) => motion.finished)));
        still = find(".delivered").length === 0 && message() === before ? still + 1 : 0;
      }
    };
    await goTo(step - 1);
    await rest();
    await goTo(step);
    const start = message();
    const during = look(start);
    await rest();
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

test("what the next step interrupts stands where it would have come to rest, and nothing of it stays on the stage", async () => {
  const lesson = await LessonPage.open(browser, { reducedMotion: "no-preference" });
  await played(lesson, "backward_started");
  const pictures = await lesson.page.evaluate(async () => {
    interface Inside extends HTMLElement {
      shadowRoot: ShadowRoot;
      updateComplete: Promise<boolean>;
      looking: { trace: { steps: { kind: string }[] } };
      clock: { seek(step: number): void };
    }
    const player = document.querySelector("backplay-player") as unknown as Inside;
    const stage = player.shadowRoot.querySelector("backplay-stage") as unknown as Inside;
    const goTo = async (step: number): Promise<void> => {
      player.clock.seek(step);
      await player.updateComplete;
      await stage.updateComplete;
    };
    const picture = () =>
      [...stage.shadowRoot.querySelectorAll<SVGElement>(".world > .message, .delivered")].map(
        (each) => `${each.dataset.thread} ${each.getAttribute("transform")}`,
      );
    const { steps } = player.looking.trace;
    const ended = steps.findIndex(({ kind }) => kind === "backward_ended");
    // Each step follows at once, while what the one before moves is under way.
    for (let step = steps.findIndex(({ kind }) => kind === "backward_started"); step <= ended; step++) await goTo(step);
    const hurried = picture();
    await goTo(ended + 1);
    await goTo(ended);
    return [hurried, picture()];
  });
  expect(pictures[1]?.length).toBe(4);
  expect(pictures[0]).toEqual(pictures[1]);
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
