import type { Player } from "../element/player";
import type { QuestionCard } from "../panels/question";
import type { Pointer } from "../state/pointer";
import { loadProgress, type Progress, saveProgress, withAnswer } from "../state/progress";

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

  player.addEventListener("played", () => {
    if (!progress.played) keep({ ...progress, played: true });
  });
  for (const card of article.querySelectorAll<QuestionCard>("backplay-question")) {
    const { prompt = "", choices = [] } = card.question ?? {};
    const chosen = progress.answers.find((answer) => answer.prompt === prompt)?.chosen ?? [];
    const indexes = chosen.map(({ text }) => choices.findIndex((choice) => choice.text === text));
    void card.updateComplete.then(() => card.restore(indexes));
    card.addEventListener("answered", (event) => {
      const choice = choices[(event as CustomEvent<number>).detail];
      if (choice) keep(withAnswer(progress, prompt, choice.text, choice.right));
    });
    card.addEventListener("seek", (event) => void player.showStep((event as CustomEvent<Pointer>).detail));
  }
  for (const button of article.querySelectorAll("backplay-try"))
    button.addEventListener("try", (event) => void player.tryChange((event as CustomEvent<string>).detail));
}

const article = document.querySelector<HTMLElement>("article[data-lesson]");
if (article) joinLesson(article);
