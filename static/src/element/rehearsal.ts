import type { Stage } from "../drawing/stage";
import type { Narration } from "../panels/narration";
import type { Trace } from "../trace/types";
import { breath, idle } from "./idle";
import type { Playing } from "./playing";

/** Steps that are rehearsed before a run counts as ready, evenly spread over it: one of each of its most common kinds. */
const AT_ONCE = 6;
/** Steps that are rehearsed in idle moments: of each kind the first few, far apart in a long run. */
const OF_EACH_KIND = 3;
/** Steps between two that count as far apart. */
const APART = 40;

/**
 * Draws steps of a large graph where nobody sees them. Whoever jumps into a run would otherwise wait for what was never needed
 * before: code that the browser has yet to compile, templates to parse, letters to shape. The few steps that a leap right after
 * a run needs are drawn when this resolves, one in each turn of the event loop; the others follow in idle moments.
 */
export async function rehearse(player: Playing, stage: Stage, place: ShadowRoot): Promise<void> {
  const trace = player.looking.history?.trace;
  if (!trace) return;
  await draw(player, stage, place, spread(trace), breath);
  void draw(player, stage, place, stepsOfEachKind(trace), idle);
}

async function draw(
  player: Playing,
  stage: Stage,
  place: ShadowRoot,
  steps: readonly number[],
  moment: () => Promise<void>,
): Promise<void> {
  const { history } = player.looking;
  if (!history) return;
  const { trace } = history;
  const box = document.createElement("div");
  box.className = "rehearsal";
  box.inert = true;
  for (const step of steps) {
    await still(player, moment);
    // Another trace may have come meanwhile.
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

/** A moment in which the person has gone nowhere since the one before: what they asked for is drawn first. */
async function still(player: Playing, moment: () => Promise<void>): Promise<void> {
  let before: number;
  do {
    before = player.clock.step;
    await moment();
  } while (player.clock.step !== before);
}

function spread({ steps }: Trace): number[] {
  const counts = new Map<string, number>();
  for (const { kind } of steps) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const common = [...counts].sort(([, a], [, b]) => b - a).slice(0, AT_ONCE);
  return common.map(([kind], index) => {
    const place = Math.floor(((index + 1) * steps.length) / (common.length + 1));
    const after = steps.findIndex((step, at) => at >= place && step.kind === kind);
    return after < 0 ? steps.findLastIndex((step) => step.kind === kind) : after;
  });
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
