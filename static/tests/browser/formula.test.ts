import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LessonPage, launch } from "./page";

const CODE = `import torch

x = torch.tensor([[1.0, -2.0], [3.0, 4.0]])
w = torch.tensor([[0.5, 0.0], [0.00001234, -1.0]], requires_grad=True)
h = torch.sigmoid(x @ w)
y = (h / (h ** 3 + 1)).sqrt()
loss = y[0].max() + (h / 2).asin().mean()
loss.backward()
`;
/** How many children MathML wants of each of its layouts. */
const CHILDREN = { mfrac: 2, msup: 2, msub: 2 };

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(() => browser.close());

test("every formula is well-formed MathML: fractions, powers, roots, matrices in tables, no raw exponents", async () => {
  const lesson = await LessonPage.open(browser);
  await lesson.runCode(CODE);
  await lesson.press("Home");
  const met = new Set<string>();
  const faults: string[] = [];
  for (let step = await lesson.stepCount(); step > 0; step--) {
    for (const { tag, space, children, text, before } of await elements(lesson)) {
      met.add(tag);
      if (text === "," && before === "(") faults.push("a comma before a function's only argument");
      if (space !== "http://www.w3.org/1998/Math/MathML") faults.push(`${tag} is no MathML`);
      if (tag in CHILDREN && children !== CHILDREN[tag as keyof typeof CHILDREN]) faults.push(`${tag} of ${children}`);
      if (children === 0 && /\[object|undefined|\de[-−]?\d|\]\]|^$/u.test(text)) faults.push(`${tag} says ${text}`);
    }
    await lesson.press("ArrowRight");
  }
  expect(faults).toEqual([]);
  for (const tag of ["mfrac", "msup", "msqrt", "mtable", "mtr", "mtd", "mn", "mi", "mo"]) expect(met).toContain(tag);
  await lesson.close();
});

/** The parts of the formula that is shown. */
function elements(lesson: LessonPage) {
  return lesson.page.locator("backplay-narration math *").evaluateAll((all) =>
    all.map((each) => ({
      tag: each.localName,
      space: each.namespaceURI,
      children: each.childElementCount,
      text: each.textContent ?? "",
      before: each.previousElementSibling?.textContent ?? "",
    })),
  );
}
