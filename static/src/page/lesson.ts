import "../panels/question";
import "./try";
import type { Player } from "../element/player";
import type { QuestionCard, Told } from "../panels/question";
import type { Pointer } from "../state/pointer";
import {
  type Answer,
  answerTo,
  loadProgress,
  type Progress,
  saveProgress,
  withChoice,
  withHint,
} from "../state/progress";

/** Joins the parts of a lesson's page: questions point into the player, changes run in it, progress is kept. */
export function joinLesson(article: HTMLElement): void {
  const lesson = article.dataset.lesson ?? "";
  const player = article.querySelector<Player>("backplay-player");
  if (!player) throw new Error("A lesson's page has no player.");
  let progress = loadProgress(lesson);
  const keep = (next: Progress): void => {
    progress = next;
    saveProgress(lesson, next);
  };
  // What comes out of the player was asked by it, in predict mode.
  const answered = ({ target, detail }: CustomEvent<Told>): Answer =>
    answerTo(progress, detail.prompt, target === player);
  article.addEventListener("answered", (event) => {
    const told = event as CustomEvent<Told>;
    keep(withChoice(progress, answered(told), told.detail.text, told.detail.right));
  });
  article.addEventListener("hinted", (event) => {
    const told = event as CustomEvent<Told>;
    keep(withHint(progress, answered(told), told.detail.text));
  });
  player.addEventListener("played", () => {
    if (!progress.played) keep({ ...progress, played: true });
  });
  for (const card of article.querySelectorAll<QuestionCard>("backplay-question")) {
    const { chosen, ruledOut } = answerTo(progress, card.question?.prompt ?? "", false);
    const texts = chosen.map(({ text }) => text);
    void card.updateComplete.then(() => card.restore(texts, ruledOut));
    card.addEventListener("seek", (event) => void player.showStep((event as CustomEvent<Pointer>).detail));
  }
  for (const button of article.querySelectorAll("backplay-try"))
    button.addEventListener("try", (event) => void player.tryChange((event as CustomEvent<string>).detail));
}

const article = document.querySelector<HTMLElement>("article[data-lesson]");
if (article) joinLesson(article);
