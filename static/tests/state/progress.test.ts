import { expect, test } from "vitest";
import { NOTHING, readProgress, score, told, withAnswer } from "../../src/state/progress";

test("answers are kept in the order they were given, each once, and scored by the first and the last", () => {
  let progress = withAnswer(NOTHING, "first?", "no", false);
  progress = withAnswer(progress, "first?", "no", false);
  progress = withAnswer(progress, "first?", "yes", true);
  progress = withAnswer(progress, "second?", "yes", true);
  expect(progress.answers[0]?.chosen).toEqual([
    { text: "no", right: false },
    { text: "yes", right: true },
  ]);
  expect(score(progress)).toEqual({ right: 2, atOnce: 1 });
});

test("a lesson that was not begun says nothing; one that was says how far", () => {
  expect(told(NOTHING, 3)).toBe("");
  expect(told({ ...NOTHING, played: true }, 3)).toBe("played");
  expect(told(withAnswer({ ...NOTHING, played: true }, "q", "yes", true), 3)).toBe("played · 1 of 3 right");
});

test("what was kept is read back; anything else is as if nothing were there", () => {
  const progress = withAnswer(NOTHING, "q", "yes", true);
  expect(readProgress(JSON.stringify(progress))).toEqual(progress);
  for (const broken of ["", "null", "[]", '{"played":1,"answers":[]}', '{"played":true,"answers":[3]}'])
    expect(readProgress(broken)).toBeNull();
});
