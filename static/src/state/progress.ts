import { loadChoice, saveChoice } from "./choice";

/** What a person chose for a question, in order. */
export interface Answer {
  readonly prompt: string;
  readonly chosen: readonly { readonly text: string; readonly right: boolean }[];
  /** Texts of the choices that hints ruled out. */
  readonly ruledOut: readonly string[];
  /** Whether it was asked by the player on the way (predict mode), not by the lesson. */
  readonly predicted: boolean;
}

/** How far a person has come in a lesson. It stays in their browser. */
export interface Progress {
  /** Whether the run was watched to its end. */
  readonly played: boolean;
  readonly answers: readonly Answer[];
}

export const NOTHING: Progress = { played: false, answers: [] };

const keyOf = (lesson: string): string => `lesson.${lesson}`;

export function loadProgress(lesson: string): Progress {
  const kept = loadChoice(keyOf(lesson));
  return (kept === null ? null : readProgress(kept)) ?? NOTHING;
}

export function saveProgress(lesson: string, progress: Progress): void {
  saveChoice(keyOf(lesson), JSON.stringify(progress));
}

/** Null for what an older page, or a curious person, left there in another form. */
export function readProgress(text: string): Progress | null {
  try {
    const { played, answers } = JSON.parse(text) as Partial<Progress>;
    const sound = typeof played === "boolean" && Array.isArray(answers) && answers.every(isAnswer);
    return sound ? { played, answers } : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

function isAnswer(value: unknown): value is Answer {
  const { prompt, chosen, ruledOut, predicted } = (value ?? {}) as Partial<Answer>;
  return (
    typeof prompt === "string" && Array.isArray(chosen) && Array.isArray(ruledOut) && typeof predicted === "boolean"
  );
}

/** What is known of one question, however little. */
export function answerTo(progress: Progress, prompt: string, predicted: boolean): Answer {
  const known = progress.answers.find((answer) => answer.prompt === prompt && answer.predicted === predicted);
  return known ?? { prompt, chosen: [], ruledOut: [], predicted };
}

export function withChoice(progress: Progress, answer: Answer, text: string, right: boolean): Progress {
  if (answer.chosen.some((choice) => choice.text === text)) return progress;
  return withAnswer(progress, { ...answer, chosen: [...answer.chosen, { text, right }] });
}

export function withHint(progress: Progress, answer: Answer, text: string): Progress {
  return withAnswer(progress, { ...answer, ruledOut: [...answer.ruledOut, text] });
}

function withAnswer(progress: Progress, answer: Answer): Progress {
  const others = progress.answers.filter((o) => o.prompt !== answer.prompt || o.predicted !== answer.predicted);
  return { ...progress, answers: [...others, answer] };
}

export interface Score {
  /** Questions of the lesson that were answered rightly in the end. */
  readonly right: number;
  /** Those among them that were answered rightly at once, without a hint. */
  readonly atOnce: number;
  /** Right predictions on the way. */
  readonly foreseen: number;
}

export function score(progress: Progress): Score {
  const count = (fits: (answer: Answer) => boolean): number => progress.answers.filter(fits).length;
  return {
    right: count(({ predicted, chosen }) => !predicted && chosen.some(({ right }) => right)),
    atOnce: count((answer) => !answer.predicted && isAtOnce(answer)),
    foreseen: count((answer) => answer.predicted && isAtOnce(answer)),
  };
}

const isAtOnce = ({ chosen, ruledOut }: Answer): boolean => (chosen[0]?.right ?? false) && ruledOut.length === 0;

/** In a few words, for a list of lessons. */
export function told(progress: Progress, questions: number): string {
  const { right } = score(progress);
  const parts = [progress.played ? "played" : "", right > 0 ? `${right} of ${questions} right` : ""].filter(Boolean);
  return parts.join(" · ");
}
