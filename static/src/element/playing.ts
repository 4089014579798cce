import type { Example, Topic } from "../panels/examples";
import type { Note } from "../panels/notes";
import type { Chosen } from "../state/chosen";
import type { Command } from "../state/commands";
import type { Trace } from "../trace/types";
import type { Clock } from "./clock";
import type { Comparing } from "./comparing";
import type { Loading } from "./loading";
import type { Looking } from "./looking";
import type { Reading } from "./reading";
import type { Snippet } from "./snippet";

/** What the regions of the player are drawn from, and what a person can do in them. The player is this. */
export interface Playing {
  readonly clock: Clock;
  readonly looking: Looking;
  readonly comparing: Comparing;
  readonly snippet: Snippet;
  readonly loading: Loading;
  readonly reading: Reading;
  readonly trace: Trace | null;
  readonly notes: readonly Note[];
  readonly examples: readonly Topic[];
  /** The panel of values that is open. */
  readonly tab: Tab;
  /** What the last command did, when nothing else shows it. */
  readonly told: string;
  /** Whether there is a service that runs snippets; without one, a trace can be played and nothing be changed. */
  readonly canRun: boolean;
  /** Whether what plays is the snippet that the page came with. */
  readonly playsOwn: boolean;
  /** Whether the address of the page names the step and the code. */
  readonly inOwnPage: boolean;

  act(action: Command): void;
  run(): void;
  /** Runs a program without playing it. */
  runApart(code: string): Promise<Trace>;
  seek(step: number): void;
  edit(line: number | null): void;
  goToLine(line: number): void;
  choose(chosen: Chosen | null): void;
  /** Chooses a card; a folded part opens. */
  chooseCard(card: number | null): void;
  togglePart(part: number): void;
  openTab(tab: Tab): void;
  /** Puts the keyboard into the open panel of values. */
  focusTab(): void;
  share(): void;
  /** Fills the screen, or leaves it. */
  present(): Promise<void>;
  compareWith(link: string): void;
  showExamples(): void;
  tryExample(example: Example): void;
}

export const TABS = ["Variables", "Inspector", "Outline", "Stops", "Compare"] as const;
export type Tab = (typeof TABS)[number];
