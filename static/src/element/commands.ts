import type { Stage } from "../drawing/stage";
import type { KeySheet } from "../panels/key-sheet";
import type { Outline } from "../panels/outline";
import type { Command } from "../state/commands";
import type { Playing } from "./playing";
import { RARE } from "./rare";
import { changeOf } from "./targets";

/** What commands need beside the player: where it shows things. */
export interface Shown {
  stage(): Stage;
  /** With the one of the kept run, while two are compared: they are looked at in the same way. */
  stages(): Iterable<Stage>;
  keys(): KeySheet;
  outline(): Outline | null;
}

/** What there may be none of ahead, so that the way to it leads to the end. */
const NONE_LEFT: Partial<Record<Command, string>> = {
  "stop-next": "This is the end: no stop is ahead.",
  "backward-next": "This is the end: no backward pass is ahead.",
};

/** Does what a person asks for by a key or a button. */
export class Commands {
  constructor(
    private readonly player: Playing,
    private readonly shown: Shown,
  ) {}

  /** Answers with what to tell the person, where nothing else shows what was done. */
  do(command: Command): string {
    const { clock, looking } = this.player;
    switch (command) {
      case "keys":
        void this.showKeys();
        return "";
      case "edit":
        this.player.edit(null);
        return "";
      case "fit":
        for (const stage of this.shown.stages()) stage.fitAll();
        return "";
      case "compare":
        return this.compare();
      case "present":
        void this.player.present();
        return "";
      case "change-next":
      case "change-back":
        return this.toChange(command === "change-next");
      case "follow":
        looking.setFollowing(!looking.follows, clock.step);
        return "";
      case "left":
      case "right":
      case "up":
      case "down":
        for (const stage of this.shown.stages()) stage.panTowards(command);
        return "";
      case "inspect":
        this.player.chooseCard(this.shown.stage().cardOfAction());
        return "";
      case "stop-here":
        return this.stopHere();
      case "closer":
      case "farther":
        for (const stage of this.shown.stages()) stage.zoomBy(command === "closer" ? 1.25 : 0.8);
        return "";
      case "find":
        void this.find();
        return "";
      default:
        clock.act(command);
        return clock.step === clock.last ? (NONE_LEFT[command] ?? "") : "";
    }
  }

  private async showKeys(): Promise<void> {
    await RARE.keys();
    await this.shown.keys().updateComplete;
    this.shown.keys().toggle();
  }

  private async find(): Promise<void> {
    this.player.openTab("Outline");
    await RARE.outline();
    // Unless the person is somewhere else already.
    this.shown.outline()?.find();
  }

  private compare(): string {
    const { comparing, trace, tab } = this.player;
    const told = comparing.toggle(trace);
    if (tab === "Compare" && !comparing.keeps) this.player.openTab("Variables");
    return told;
  }

  private toChange(forward: boolean): string {
    const { looking, clock } = this.player;
    const target = changeOf(looking.history, looking.chosen?.tensor ?? null, clock.step, forward);
    if (typeof target === "string") return target;
    this.player.seek(target);
    return "";
  }

  /** Makes the line of this step one where playing halts, or no longer. */
  private stopHere(): string {
    const { clock, trace } = this.player;
    const line = trace?.steps[clock.step]?.span?.line;
    if (line === undefined) return "This step belongs to no line.";
    clock.halts.toggleLine(line);
    return clock.halts.lines.has(line) ? `Playing will stop at line ${line}.` : `No stop at line ${line}.`;
  }
}
