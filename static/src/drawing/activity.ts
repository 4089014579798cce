import type { Parts } from "../layout/parts";
import type { Pass } from "../state/frame";
import type { History } from "../state/history";
import { type Change, Timeline } from "../state/timeline";

/** For every part of a program, when its operations were recorded and when backward ran them. */
interface Activity {
  readonly made: Timeline;
  readonly ran: Timeline;
}

const known = new WeakMap<History, Activity>();

/** Made once for a run, best before the first step is drawn. */
export function activityOf(history: History, { paths, ofNode }: Parts): Activity {
  const before = known.get(history);
  if (before) return before;
  const [made, ran]: [Change[], Change[]] = [[], []];
  for (const [step, event] of history.trace.steps.entries()) {
    if (event.kind !== "node_made" && event.kind !== "node_ran") continue;
    if (history.trace.nodes[event.node]?.leaf !== null) continue;
    for (const part of paths[ofNode[event.node] ?? 0] ?? [])
      (event.kind === "node_made" ? made : ran).push([part, step]);
  }
  const activity = { made: Timeline.from(paths.length, made), ran: Timeline.from(paths.length, ran) };
  known.set(history, activity);
  return activity;
}

/** How many operations of some parts are recorded at a step, and how many of them backward has gone through in a pass. */
export function countActivity(
  history: History,
  program: Parts,
  parts: readonly number[],
  step: number,
  pass: Pass | null,
): { readonly made: number; readonly ran: number } {
  const activity = activityOf(history, program);
  let [made, ran] = [0, 0];
  for (const part of parts) {
    made += activity.made.count(part, step);
    if (pass) ran += activity.ran.count(part, step) - activity.ran.count(part, pass.started);
  }
  return { made, ran };
}
