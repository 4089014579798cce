import type { Trace } from "../trace/types";
import type { Card, CardGraph, Thread } from "./cards";
import { partsOf } from "./regions";

/** Replaces every closed part (a loop turn, a module, a function call) by one card that stands for all inside it. */
export function foldParts(trace: Trace, graph: CardGraph, closed: ReadonlySet<number>): CardGraph {
  if (closed.size === 0) return graph;
  const cards: Card[] = [];
  const groups = new Map<number, number>();
  const moved = graph.cards.map((card) => {
    const part = partsOf(trace, card.scope).find((each) => closed.has(each));
    if (part === undefined) return cards.push(card) - 1;
    let group = groups.get(part);
    if (group === undefined) {
      group = cards.push(groupCard(trace, part, card.step)) - 1;
      groups.set(part, group);
    }
    const record = cards[group];
    if (record && card.node !== null && card.kind === "operation")
      cards[group] = { ...record, members: [...record.members, card.node] };
    return group;
  });
  const to = (card: number): number => (card < 0 ? card : (moved[card] ?? -1));
  return {
    cards,
    threads: reconnect(graph.threads, to),
    cardOfNode: graph.cardOfNode.map(to),
    cardOfTensor: graph.cardOfTensor.map(to),
  };
}

function groupCard(trace: Trace, part: number, step: number): Card {
  return {
    kind: "group",
    key: `part:${part}`,
    tensor: null,
    node: null,
    step,
    scope: part,
    title: trace.scopes[part]?.title ?? "",
    value: { kind: "none" },
    repeats: false,
    members: [],
  };
}

/** Threads between folded parts; those inside one part are gone, and ports are numbered anew in the order of arrival. */
function reconnect(threads: readonly Thread[], to: (card: number) => number): Thread[] {
  const ports = new Map<number, number>();
  return threads.flatMap((thread) => {
    const [from, target] = [to(thread.from), to(thread.to)];
    if (from === target) return [];
    if (target === thread.to && from === thread.from) return [thread];
    const port = ports.get(target) ?? 0;
    ports.set(target, port + 1);
    return [{ ...thread, from, to: target, port }];
  });
}

/** More operations than this are too many to read at once. */
const READABLE_COUNT = 150;
/** A part with fewer operations than this would not become simpler by being folded. */
const WORTH_FOLDING = 4;

/** The parts to close at first, so that a large graph begins as an overview: the outermost parts that hold enough. */
export function partsToClose(trace: Trace): Set<number> {
  const sizes = new Map<number, number>();
  let operations = 0;
  for (const node of trace.nodes) {
    if (node.leaf !== null) continue;
    operations++;
    const outermost = partsOf(trace, node.scope)[0];
    if (outermost !== undefined) sizes.set(outermost, (sizes.get(outermost) ?? 0) + 1);
  }
  if (operations <= READABLE_COUNT) return new Set();
  return new Set([...sizes].flatMap(([part, size]) => (size >= WORTH_FOLDING ? [part] : [])));
}
