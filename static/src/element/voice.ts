import { spoken } from "../panels/prose";

/** Least time between two announcements while playing, in milliseconds. */
const PACE = 1200;

/** What a screen reader is told: each step; while playing, no more often than a voice can follow. */
export class Voice {
  words = "";
  private saidAt = 0;

  /** `text` is the step's sentence, `question` what waits for an answer before it is shown. */
  say(step: number, text: string | null, question: string | null, playing: boolean): void {
    if (playing && Date.now() - this.saidAt < PACE) return;
    const words = question
      ? `What comes next? ${spoken(question)}`
      : text === null
        ? ""
        : `Step ${step + 1}. ${spoken(text)}`;
    if (words !== this.words) this.saidAt = Date.now();
    this.words = words;
  }
}
