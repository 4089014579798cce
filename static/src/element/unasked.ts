import { stillness } from "../drawing/motion";
import type { Step, Trace } from "../trace/types";
import type { Clock } from "./clock";
import type { Looking } from "./looking";

/** How long the whole graph stands before gradients set out over it, in milliseconds: time to look at it, and for the page to load. */
const LOOK = 2000;

/**
 * Plays without having been asked to, from where gradients set out over the whole graph: whoever comes by sees within seconds what
 * this is about. Who asked for less motion sees the step that says most instead, at rest. `wanted`: whether nobody has asked for
 * anything else yet.
 */
export function playUnasked(clock: Clock, { trace }: Looking, wanted: () => boolean): void {
  if (!trace || !wanted()) return;
  if (stillness()) {
    clock.seek(firstOf(trace, "messages_summed", "gradient_stored") ?? trace.steps.length - 1);
    return;
  }
  clock.seek(firstOf(trace, "node_ran") ?? 0);
  setTimeout(() => {
    if (wanted()) clock.act("toggle");
  }, LOOK);
}

/** The first step of the first of these kinds that there is. */
function firstOf({ steps }: Trace, ...kinds: readonly Step["kind"][]): number | undefined {
  return kinds.map((kind) => steps.findIndex((step) => step.kind === kind)).find((step) => step >= 0);
}
