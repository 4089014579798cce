import { expect, test } from "vitest";
import {
  answerTo,
  NOTHING,
  type Progress,
  readProgress,
  score,
  told,
  withChoice,
  withHint,
} from "../../src/state/progress";

const choose = (progress: Progress, prompt: string, right: boolean, predicted = false): Progress =>
  withChoice(progress, answerTo(progress, prompt, predicted), right ? "yes" : "no", right);

test("answers are kept in the order they were given, each once, and scored by the first and the last", () => {
  let progress = choose(NOTHING, "first?", false);
  progress = choose(progress, "first?", false);
  progress = choose(progress, "first?", true);
  progress = choose(progress, "second?", true);
  expect(answerTo(progress, "first?", false).chosen).toEqual([
    { text: "no", right: false },
    { text: "yes", right: true },
  ]);
  expect(score(progress)).toEqual({ right: 2, atOnce: 1, foreseen: 0 });
});

test("what was answered after a hint was not answered at once", () => {
  const hinted = withHint(NOTHING, answerTo(NOTHING, "q", false), "no");
  expect(score(choose(hinted, "q", true))).toEqual({ right: 1, atOnce: 0, foreseen: 0 });
});

test("predictions are counted apart from the lesson's own questions", () => {
  const progress = choose(choose(NOTHING, "q", true, true), "q", false);
  expect(score(progress)).toEqual({ right: 0, atOnce: 0, foreseen: 1 });
});

test("a lesson that was not begun says nothing; one that was says how far", () => {
  expect(told(NOTHING, 3)).toBe("");
  expect(told({ ...NOTHING, played: true }, 3)).toBe("played");
  expect(told(choose({ ...NOTHING, played: true }, "q", true), 3)).toBe("played · 1 of 3 right");
});

test("what was kept is read back; anything else is as if nothing were there", () => {
  const progress = choose(NOTHING, "q", true);
  expect(readProgress(JSON.stringify(progress))).toEqual(progress);
  for (const broken of ["", "null", "[]", '{"played":1,"answers":[]}', '{"played":true,"answers":[3]}'])
    expect(readProgress(broken)).toBeNull();
});
