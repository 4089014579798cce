import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect, inject } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.BACKPLAY_CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** Long, so that nothing fails for a machine that is busy with other things: milliseconds to wait for a state. */
const PATIENCE = 60_000;

/** A fresh profile. */
export async function freshContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/** A page of the site in a fresh profile, which remembers everything that went wrong on it. */
export class LessonPage {
  private readonly complaints: string[] = [];

  private constructor(readonly page: Page) {
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on("pageerror", (error) => this.complaints.push(`exception: ${error.message}`));
    page.on("request", (request) => {
      if (!request.url().startsWith(inject("address")) && !request.url().startsWith("data:"))
        this.complaints.push(`left the site: ${request.url()}`);
    });
  }

  static async open(
    browser: Browser,
    options: BrowserContextOptions = {},
    path = "lessons/dynamic-computation-graph",
  ): Promise<LessonPage> {
    const context = await freshContext(browser, {
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });
    const lesson = new LessonPage(await context.newPage());
    await lesson.page.goto(inject("address") + path);
    await lesson.page.locator("backplay-player div.frame").waitFor();
    return lesson;
  }

  async close(): Promise<void> {
    await this.page.context().close();
    expect(this.complaints, "the browser's console must stay silent").toEqual([]);
  }

  /** What elements say, once there are as many as ``least``. */
  async texts(selector: string, least = 1): Promise<string[]> {
    const found = this.page.locator(selector);
    await found.nth(least - 1).waitFor();
    return found.allInnerTexts();
  }

  /** Presses Run and waits for the answer. */
  async run(): Promise<void> {
    const answer = this.page.waitForResponse((response) => response.url().endsWith("/api/runs"));
    await this.page.getByRole("button", { name: "Run", exact: true }).click();
    await answer;
    await this.page.locator("backplay-player div.frame:not(.busy)").waitFor();
  }

  /** Replaces the snippet by typing into the editor, as a person would, and runs it from there. */
  async runCode(code: string): Promise<void> {
    await this.page.getByRole("button", { name: "Edit", exact: true }).click();
    const editor = this.page.getByRole("textbox", { name: "Code editor" });
    await editor.waitFor();
    await editor.press("Control+a");
    await this.page.keyboard.insertText(code);
    const answer = this.page.waitForResponse((response) => response.url().endsWith("/api/runs"));
    await editor.press("Control+Enter");
    await answer;
    await this.page.locator("backplay-code").waitFor();
    await this.page.locator("backplay-player div.frame:not(.busy)").waitFor();
  }

  /** Makes a link of this run and answers with what follows the page's address in it; `holding`: what it must carry. */
  async link(holding: string): Promise<string> {
    await this.page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = this.page.getByRole("dialog", { name: "Share" });
    const link = await dialog.getByRole("textbox", { name: "Link to this step" }).inputValue();
    await this.page.waitForFunction((text) => location.hash.includes(text), holding);
    await dialog.getByRole("button", { name: "Close" }).click();
    return new URL(link).hash;
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
    await this.settled();
  }

  /** Until words and values tell the step that plays: in a leap to another part of a large graph they follow a frame later. */
  private settled(): Promise<void> {
    return this.page.evaluate(async () => {
      const player = document.querySelector("backplay-player") as unknown as {
        reading: { step: number };
        clock: { step: number };
        updateComplete: Promise<boolean>;
      };
      while (player.reading.step !== player.clock.step) await new Promise((resolve) => setTimeout(resolve, 10));
      await player.updateComplete;
    });
  }

  /** What a screen reader is told. */
  async announced(): Promise<string> {
    return (await this.page.locator("backplay-player div.frame > [role=status]").textContent()) ?? "";
  }

  async stepCount(): Promise<number> {
    return Number(await this.slider().getAttribute("max")) + 1;
  }

  slider() {
    return this.page.getByRole("slider", { name: "Step" });
  }

  text(selector: string): Promise<string> {
    return this.page.locator(selector).first().innerText();
  }

  /** The cards on the stage, as text. */
  cards(): Promise<string[]> {
    return this.page
      .locator("backplay-stage .card")
      .evaluateAll((cards) => cards.map((card) => (card.textContent ?? "").replace(/\s+/g, " ").trim()));
  }

  expectAccessible(state: string): Promise<void> {
    return expectAccessible(this.page, state);
  }
}

/**
 * Fails on any accessibility violation of a page as it is now, open shadow roots included. What fades in or changes its
 * colour is judged when it has arrived: half way, a contrast is that of no state of the page.
 */
export async function expectAccessible(page: Page, state: string, options: object = {}): Promise<void> {
  await page.evaluate(AXE);
  await page.waitForFunction(() => {
    const still = (root: Document | ShadowRoot): boolean =>
      root
        .getAnimations()
        .every(
          (animation) => animation.playState !== "running" || animation.effect?.getTiming().iterations === Infinity,
        ) && [...root.querySelectorAll("*")].every(({ shadowRoot }) => !shadowRoot || still(shadowRoot));
    return still(document);
  });
  const violations = await page.evaluate(async (chosen) => {
    const { axe } = window as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[] }>;
      };
    };
    const result = await axe.run({ resultTypes: ["violations"], ...chosen });
    return result.violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map((node) => `${JSON.stringify(node.target)} ${node.failureSummary ?? ""}`).join("; ")}`,
    );
  }, options);
  expect(violations, `accessibility of ${state}`).toEqual([]);
}
