import { loadChoice, saveChoice } from "./choice";

/** What a person chose for a question, in order. */
export interface Answer {
  readonly prompt: string;
  readonly chosen: readonly { readonly text: string; readonly right: boolean }[];
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
  const { prompt, chosen } = (value ?? {}) as Partial<Answer>;
  return typeof prompt === "string" && Array.isArray(chosen);
}

export function withAnswer(progress: Progress, prompt: string, text: string, right: boolean): Progress {
  const others = progress.answers.filter((answer) => answer.prompt !== prompt);
  const before = progress.answers.find((answer) => answer.prompt === prompt)?.chosen ?? [];
  if (before.some((choice) => choice.text === text)) return progress;
  return { ...progress, answers: [...others, { prompt, chosen: [...before, { text, right }] }] };
}

/** How many questions were answered rightly in the end, and how many at once. */
export function score(progress: Progress): { readonly right: number; readonly atOnce: number } {
  return {
    right: progress.answers.filter(({ chosen }) => chosen.some(({ right }) => right)).length,
    atOnce: progress.answers.filter(({ chosen }) => chosen[0]?.right).length,
  };
}

/** In a few words, for a list of lessons. */
export function told(progress: Progress, questions: number): string {
  const { right } = score(progress);
  const parts = [progress.played ? "played" : "", right > 0 ? `${right} of ${questions} right` : ""].filter(Boolean);
  return parts.join(" · ");
}
