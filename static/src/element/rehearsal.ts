import type { Stage } from "../drawing/stage";
import type { Narration } from "../panels/narration";
import type { Trace } from "../trace/types";
import { idle } from "./idle";
import type { Playing } from "./playing";

/** Steps that are rehearsed: of each kind the first few, far apart in a long run. */
const OF_EACH_KIND = 3;
/** Steps between two that count as far apart. */
const APART = 40;

/**
 * Draws steps of a large graph where nobody sees them, one in each idle moment. Whoever jumps into a run would otherwise wait for what
 * was never needed before: code that the browser has yet to compile, templates to parse, letters to shape.
 */
export async function rehearse(player: Playing, stage: Stage, place: ShadowRoot): Promise<void> {
  const { history } = player.looking;
  if (!history) return;
  const { trace } = history;
  const box = document.createElement("div");
  box.className = "rehearsal";
  box.inert = true;
  for (const step of stepsOfEachKind(trace)) {
    await idle();
    if (player.looking.history !== history) return;
    const scene = player.looking.sceneFor(step);
    if (!scene) continue;
    const narration: Narration = document.createElement("backplay-narration");
    Object.assign(narration, { trace, step, notes: player.notes });
    const double = stage.double(scene, step);
    box.replaceChildren(double, narration);
    place.append(box);
    await Promise.all([double.updateComplete, narration.updateComplete]);
    // Asking for a size has it laid out.
    box.getBoundingClientRect();
    box.remove();
  }
}

function stepsOfEachKind({ steps }: Trace): number[] {
  const chosen = new Map<string, number[]>();
  for (const [index, { kind }] of steps.entries()) {
    const before = chosen.get(kind) ?? [];
    const last = before.at(-1);
    if (before.length < OF_EACH_KIND && (last === undefined || index - last >= APART))
      chosen.set(kind, [...before, index]);
  }
  return [...chosen.values()].flat();
}
