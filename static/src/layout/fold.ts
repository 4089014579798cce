import type { Trace } from "../trace/types";
import type { Card, CardGraph, Thread } from "./cards";
import { runsOf, runTitle } from "./overview";
import { partsOf } from "./regions";

const NONE: ReadonlySet<number> = new Set();

/**
 * Replaces every closed part (a loop turn, a module, a function call) by one card that stands for all inside it, and
 * neighbouring closed parts by one card for them all, unless they are to be kept `apart`.
 */
export function foldParts(
  trace: Trace,
  graph: CardGraph,
  closed: ReadonlySet<number>,
  apart: ReadonlySet<number> = NONE,
): CardGraph {
  if (closed.size === 0) return graph;
  const folded = foldOnce(trace, graph, closed, apart);
  // Where a path leaves a part and comes back to it, the part cannot be one card.
  const guilty = groupsOnCycles(folded);
  if (guilty.size === 0) return folded;
  const fewer = [...closed].filter((part) => !guilty.has(part));
  return foldParts(trace, graph, new Set(fewer), apart);
}

/** What one card stands for. */
interface Group {
  readonly card: number;
  readonly step: number;
  readonly members: number[];
  readonly parts: number[];
}

function foldOnce(trace: Trace, graph: CardGraph, closed: ReadonlySet<number>, apart: ReadonlySet<number>): CardGraph {
  const cards: Card[] = [];
  const groups = new Map<number, Group>();
  const runs = runsOf(trace, closed, apart);
  const moved = graph.cards.map((card) => {
    const part = partsOf(trace, card.scope).find((each) => closed.has(each));
    if (part === undefined) return cards.push(card) - 1;
    const run = runs.get(part) ?? part;
    const known = groups.get(run);
    const group = known ?? { card: cards.push(card) - 1, step: card.step, members: [], parts: [run] };
    if (!known) groups.set(run, group);
    if (card.node !== null && card.kind === "operation") group.members.push(card.node);
    if (group.parts.at(-1) !== part && runs.has(part)) group.parts.push(part);
    return group.card;
  });
  for (const group of groups.values()) cards[group.card] = groupCard(trace, group);
  const to = (card: number): number => (card < 0 ? card : (moved[card] ?? -1));
  const isGroup = (card: number): boolean => cards[card]?.kind === "group";
  const doubles = visibleDoubles(cards);
  const shown = (card: number, tensor: number | null): number =>
    tensor !== null && isGroup(to(card)) ? (doubles.get(tensor) ?? to(card)) : to(card);
  return {
    cards,
    threads: reconnect(graph.threads, to, isGroup),
    cardOfNode: graph.cardOfNode.map((card, node) => shown(card, trace.nodes[node]?.leaf ?? null)),
    cardOfTensor: graph.cardOfTensor.map((card, tensor) => shown(card, tensor)),
  };
}

function groupCard(trace: Trace, { step, members, parts }: Group): Card {
  const scope = parts[0] ?? 0;
  const title = (part: number): string => trace.scopes[part]?.title ?? "";
  return {
    kind: "group",
    key: `part:${scope}`,
    tensor: null,
    node: null,
    step,
    scope,
    title: runTitle(title(scope), title(parts.at(-1) ?? scope)),
    value: { kind: "none" },
    repeats: false,
    written: false,
    members,
    parts,
  };
}

/** A leaf whose own card is folded away is looked for where it is drawn again: in the part that is open. */
function visibleDoubles(cards: readonly Card[]): Map<number, number> {
  const doubles = new Map<number, number>();
  for (const [index, card] of cards.entries())
    if (card.repeats && card.tensor !== null) doubles.set(card.tensor, index);
  return doubles;
}

/**
 * Threads as they run once parts are folded. Those inside one part are gone; those between a part and one other card
 * become one thread that carries all their messages; what enters a part is numbered in the order of arrival.
 */
function reconnect(
  threads: readonly Thread[],
  to: (card: number) => number,
  isGroup: (card: number) => boolean,
): Thread[] {
  const ports = new Map<number, number>();
  const bundles = new Map<string, { readonly thread: Thread; readonly strands: Thread[] }>();
  const single: Thread[] = [];
  for (const thread of threads) {
    const [from, target] = [to(thread.from), to(thread.to)];
    if (from === target) continue;
    if (!isGroup(from) && !isGroup(target)) {
      single.push({ ...thread, from, to: target });
      continue;
    }
    const key = `${from}:${target}:${thread.node === null}`;
    const bundle = bundles.get(key);
    if (bundle) {
      bundle.strands.push(thread);
      continue;
    }
    const port = isGroup(target) ? (ports.get(target) ?? 0) : thread.port;
    ports.set(target, port + 1);
    bundles.set(key, { thread: { ...thread, from, to: target, port }, strands: [] });
  }
  return [...single, ...[...bundles.values()].map(({ thread, strands }) => ({ ...thread, strands }))];
}

/** Closed parts that lie on a cycle (what Kahn's algorithm leaves over). */
function groupsOnCycles({ cards, threads }: CardGraph): Set<number> {
  const after: number[][] = cards.map(() => []);
  const waiting = cards.map(() => 0);
  for (const { from, to } of threads) {
    after[from]?.push(to);
    waiting[to] = (waiting[to] ?? 0) + 1;
  }
  const free = waiting.flatMap((count, card) => (count === 0 ? [card] : []));
  for (let head = 0; head < free.length; head++) {
    for (const next of after[free[head] ?? 0] ?? []) {
      waiting[next] = (waiting[next] ?? 0) - 1;
      if (waiting[next] === 0) free.push(next);
    }
  }
  const left = new Set(cards.keys());
  for (const card of free) left.delete(card);
  return new Set([...left].flatMap((card) => (cards[card]?.kind === "group" ? cards[card].parts : [])));
}
