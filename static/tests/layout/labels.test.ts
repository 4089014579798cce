import { describe, expect, test } from "vitest";
import { prepareThreads } from "../../src/drawing/thread";
import { titleBox, touches } from "../../src/layout/titles";
import { layOutTrace } from "../fixtures/laid";
import { GOLDEN, loadTrace } from "../fixtures/load";

describe.each(GOLDEN)("on the stage of %s", (name) => {
  const scene = layOutTrace(loadTrace(name), 1.5);
  const titles = scene.parts.map((part) => ({ title: part.title, box: titleBox(part.title, part.titleAt) }));

  test("no title of a part stands on another one or on a card", () => {
    for (const [i, a] of titles.entries()) {
      for (const b of titles.slice(0, i)) expect(touches(a.box, b.box), `${a.title} and ${b.title}`).toBe(false);
      for (const card of scene.cards) expect(touches(a.box, card), `${a.title} and ${card.title}`).toBe(false);
    }
  });

  test("no message comes to rest on a title or on a card", () => {
    for (const thread of prepareThreads(scene)) {
      const at = thread.walk.at(thread.rest);
      const chip = { x: at.x - 25, y: at.y - 11, width: 50, height: 22 };
      for (const { title, box } of titles) expect(touches(chip, box), `a message on ${title}`).toBe(false);
      for (const card of scene.cards) expect(touches(chip, card), `a message on ${card.title}`).toBe(false);
    }
  });
});
