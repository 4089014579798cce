import { stillness } from "../drawing/motion";
import type { Trace } from "../trace/types";
import type { Clock } from "./clock";
import type { Looking } from "./looking";

/**
 * Plays without having been asked to, from where there is something to see. Who asked for less motion sees the step
 * that says most instead, at rest.
 */
export function playUnasked(clock: Clock, { trace, scene }: Looking): void {
  const first = scene?.cards[0];
  if (!trace || !first) return;
  if (stillness()) {
    clock.seek(tellingStep(trace));
    return;
  }
  clock.seek(first.step);
  clock.act("toggle");
}

/** Where gradients meet, else where the first one is stored, else the end. */
function tellingStep({ steps }: Trace): number {
  const find = (kind: string): number => steps.findIndex((step) => step.kind === kind);
  return [find("messages_summed"), find("gradient_stored")].find((step) => step >= 0) ?? steps.length - 1;
}
