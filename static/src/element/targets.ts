import type { Move } from "../state/commands";
import { nextStop, previousStop, stops } from "../state/grains";
import type { History } from "../state/history";
import { lifeOf } from "../state/life";
import type { Step, Trace } from "../trace/types";

/** The step that a move leads to, given the stops of the current grain. */
export function targetOf(move: Move, trace: Trace, step: number, list: Int32Array): number {
  const last = trace.steps.length - 1;
  switch (move) {
    case "first":
      return 0;
    case "last":
      return last;
    case "next":
      return nextStop(list, step);
    case "back":
      return previousStop(list, step);
    case "line-next":
      return nextStop(stops(trace, "line"), step);
    case "line-back":
      return previousStop(stops(trace, "line"), step);
    case "scope-next":
      return afterScope(trace, step);
    case "backward-next":
      return after(trace, step, (event) => event.kind === "backward_started") ?? last;
    case "backward-back":
      return before(trace, step, (event) => event.kind === "backward_started") ?? 0;
    case "chapter-next":
      return trace.chapters.find((chapter) => chapter.first > step)?.first ?? last;
    case "chapter-back":
      return trace.chapters.findLast((chapter) => chapter.first < step)?.first ?? 0;
  }
}

/** The step of the next (or last) change of a tensor, or in words why there is none. */
export function changeOf(
  history: History | null,
  tensor: number | null,
  step: number,
  forward: boolean,
): number | string {
  if (!history || tensor === null) return "Choose a tensor first: a name in the table or a card in the graph.";
  const steps = lifeOf(history, tensor).map((moment) => moment.step);
  const target = forward ? steps.find((each) => each > step) : steps.findLast((each) => each < step);
  const label = history.trace.tensors[tensor]?.label;
  return target ?? `Nothing happens to ${label} ${forward ? "after" : "before"} this step.`;
}

function after(trace: Trace, step: number, wanted: (event: Step) => boolean): number | null {
  const found = trace.steps.findIndex((event, index) => index > step && wanted(event));
  return found < 0 ? null : found;
}

function before(trace: Trace, step: number, wanted: (event: Step) => boolean): number | null {
  const found = trace.steps.findLastIndex((event, index) => index < step && wanted(event));
  return found < 0 ? null : found;
}

/** Steps over the call, module or loop turn that the next step is in: to its end, or a line on when there is none. */
function afterScope(trace: Trace, step: number): number {
  const scope = trace.steps[step + 1]?.scope ?? 0;
  if (scope === 0) return nextStop(stops(trace, "line"), step);
  const outside = trace.steps.findIndex((event, index) => index > step && !isWithin(trace, event.scope, scope));
  return outside < 0 ? trace.steps.length - 1 : outside - 1;
}

function isWithin(trace: Trace, scope: number, wanted: number): boolean {
  for (let at: number | null = scope; at !== null; at = trace.scopes[at]?.parent ?? null)
    if (at === wanted) return true;
  return false;
}
