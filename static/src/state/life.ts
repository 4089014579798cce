import type { Reason, Tensor } from "../trace/types";
import type { History } from "./history";

/** A step in the life of a tensor, with the words of the trace. */
export interface Moment {
  readonly step: number;
  readonly text: string;
}

const lives = new WeakMap<History, Map<number, readonly Moment[]>>();

/** Everything that happens to a tensor, in order: made, named, written, saved, given a gradient. */
export function lifeOf(history: History, tensor: number): readonly Moment[] {
  // Gathered once: a person steps on while they look at one tensor.
  const known = lives.get(history) ?? new Map<number, readonly Moment[]>();
  lives.set(history, known);
  const life = known.get(tensor) ?? gatherLife(history, tensor);
  known.set(tensor, life);
  return life;
}

function gatherLife(history: History, tensor: number): Moment[] {
  const steps = new Set<number>([...history.values.changes(tensor), ...history.gradients.changes(tensor)]);
  for (const [index, step] of history.trace.steps.entries()) {
    if ((step.kind === "name_bound" || step.kind === "tensor_saved") && step.tensor === tensor) steps.add(index);
    if (step.kind === "graph_left" && (step.source === tensor || step.result === tensor)) steps.add(index);
  }
  return [...steps].sort((a, b) => a - b).map((step) => ({ step, text: history.trace.steps[step]?.text ?? "" }));
}

/** One line of a gradient's ledger: what was there, what came, what it became. */
export interface Entry {
  readonly step: number;
  readonly old: string;
  readonly incoming: string;
  readonly now: string;
  /** The backward pass that brought it, or null for what was cleared. */
  readonly pass: number | null;
  /** The messages that were added up to what came in, by the node and argument that sent them. */
  readonly paths: readonly Path[];
}

export interface Path {
  readonly node: string;
  readonly argument: string;
  readonly value: string;
}

/** The messages of a pass that a gradient is made of. */
function pathsInto(history: History, call: number, node: number | null, stored: number): Path[] {
  const { steps, nodes } = history.trace;
  const paths: Path[] = [];
  for (let at = stored; at >= 0; at--) {
    const event = steps[at];
    if (event?.kind === "backward_started" && event.call === call) break;
    if (event?.kind !== "message_sent" || event.call !== call || event.to !== node || !event.value) continue;
    const sender = nodes[event.node];
    const argument = sender?.edges[event.slot]?.argument ?? "";
    paths.push({ node: sender?.name ?? "", argument, value: event.value.text });
  }
  return paths.reverse();
}

/** How `.grad` came to be what it is at a step: its last changes, `most` of them. */
export function ledgerOf(history: History, tensor: number, until: number, most: number): Entry[] {
  const count = history.gradients.count(tensor, until);
  return [...history.gradients.changes(tensor).subarray(Math.max(0, count - most), count)].map((step): Entry => {
    const event = history.trace.steps[step];
    if (event?.kind === "gradient_stored")
      return {
        step,
        old: event.old?.text ?? "None",
        incoming: event.incoming.text,
        now: event.new.text,
        pass: event.call,
        paths: pathsInto(history, event.call, event.node, step),
      };
    if (event?.kind === "gradient_set") {
      const old = event.old?.text ?? "None";
      return { step, old, incoming: "", now: event.value.text, pass: null, paths: [] };
    }
    const zero = event?.kind === "gradients_zeroed" && !event.to_none;
    return { step, old: "", incoming: "", now: zero ? "0" : "None", pass: null, paths: [] };
  });
}

/** The answers to "why?" about a tensor that hold at a step. */
export function reasonsAt(history: History, tensor: number, step: number): Reason[] {
  return history.trace.reasons.filter(
    (reason) => reason.tensor === tensor && reason.first <= step && step <= reason.last,
  );
}

/** The views of a tensor that there are at a step. */
export function viewsOf({ trace }: History, tensor: number, step: number): Tensor[] {
  return trace.tensors.filter((each) => each.base === tensor && each.step <= step);
}

/** Where a tensor is saved at a step: node by node, held or freed. */
export function savedPlaces(
  history: History,
  tensor: number,
  step: number,
): { readonly node: number; readonly name: string; readonly held: boolean }[] {
  return history.trace.nodes.flatMap((node, id) =>
    node.saved.flatMap((saved, position) => {
      if (saved.tensor !== tensor) return [];
      const event = history.trace.steps[history.saved.at((history.savedStart[id] ?? 0) + position, step)];
      return event ? [{ node: id, name: saved.name, held: event.kind === "tensor_saved" }] : [];
    }),
  );
}
