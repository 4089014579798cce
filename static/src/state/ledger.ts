import { tensorGradient } from "./frame";
import type { History } from "./history";

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
    const gradient = tensorGradient(history, tensor, step);
    const now = gradient.state === "value" ? gradient.value.text : "None";
    const old = event && "old" in event ? (event.old?.text ?? "None") : "";
    if (event?.kind !== "gradient_stored") return { step, old, incoming: "", now, pass: null, paths: [] };
    const paths = pathsInto(history, event.call, event.node, step);
    return { step, old, incoming: event.incoming.text, now, pass: event.call, paths };
  });
}
