import type { Card, CardGraph, Thread } from "./cards";
import { type Parts, titleOfRun } from "./parts";
import { enclosingOf, runsOf } from "./runs";

const NONE: ReadonlySet<number> = new Set();

/**
 * Replaces every closed part (a loop turn, a module, a function call, a stretch) by one card that stands for all inside
 * it, and neighbouring closed parts by one card for them all, unless they are to be kept `apart`.
 */
export function foldParts(graph: CardGraph, closed: ReadonlySet<number>, apart: ReadonlySet<number> = NONE): CardGraph {
  if (closed.size === 0) return graph;
  const folded = foldOnce(graph, closed, apart);
  // Where a path leaves a part and comes back to it, the part cannot be one card.
  const guilty = groupsOnCycles(folded);
  if (guilty.size === 0) return folded;
  const fewer = [...closed].filter((part) => !guilty.has(part));
  return foldParts(graph, new Set(fewer), apart);
}

function foldOnce(graph: CardGraph, closed: ReadonlySet<number>, apart: ReadonlySet<number>): CardGraph {
  const { parts } = graph;
  const enclosing = enclosingOf(parts, closed);
  const runs = runsOf(graph, enclosing, apart);
  const members = membersOf(runs);
  const cards: Card[] = [];
  const groupOf = new Int32Array(runs.length).fill(-1);
  const moved = new Int32Array(graph.cards.length);
  for (let index = 0; index < moved.length; index++) {
    const part = enclosing[graph.scopeOfCard[index] ?? 0] ?? -1;
    const card = graph.cards[index] as Card;
    const run = part < 0 ? -1 : (runs[part] ?? part);
    if (run < 0) moved[index] = cards.push(card) - 1;
    else if ((groupOf[run] ?? -1) >= 0) moved[index] = groupOf[run] ?? -1;
    else groupOf[run] = moved[index] = cards.push(groupCard(parts, members.get(run) ?? [run], card.step)) - 1;
  }
  const isGroup = (card: number): boolean => cards[card]?.kind === "group";
  const doubles = visibleDoubles(cards);
  const cardOfTensor = graph.cardOfTensor.map((card) => (card < 0 ? card : (moved[card] ?? -1)));
  for (const [tensor, card] of doubles) if (isGroup(cardOfTensor[tensor] ?? -1)) cardOfTensor[tensor] = card;
  const cardOfNode = graph.cardOfNode.map((card) => (card < 0 ? card : (moved[card] ?? -1)));
  for (const tensor of doubles.keys()) {
    const accumulator = graph.cards[graph.cardOfTensor[tensor] ?? -1]?.node ?? null;
    if (accumulator !== null) cardOfNode[accumulator] = cardOfTensor[tensor] ?? -1;
  }
  return { ...graph, cards, threads: reconnect(graph, moved, isGroup), cardOfNode, cardOfTensor };
}

/** The parts of each run, in order. */
function membersOf(runs: Int32Array): Map<number, number[]> {
  const members = new Map<number, number[]>();
  for (const [part, run] of runs.entries()) {
    if (run < 0) continue;
    const known = members.get(run);
    if (known) known.push(part);
    else members.set(run, [part]);
  }
  return members;
}

/** One card for neighbouring parts, the first of which comes into being at `step`. */
function groupCard(program: Parts, parts: readonly number[], step: number): Card {
  const scope = parts[0] ?? 0;
  return {
    kind: "group",
    key: `part:${scope}`,
    tensor: null,
    node: null,
    step,
    scope,
    title: titleOfRun(program, scope, parts.at(-1) ?? scope),
    value: { kind: "none" },
    remark: "",
    repeats: false,
    written: 0,
    retains: false,
    operations: parts.reduce((sum, part) => sum + (program.operations[part] ?? 0), 0),
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
function reconnect({ threads, ends }: CardGraph, moved: Int32Array, isGroup: (card: number) => boolean): Thread[] {
  const ports = new Map<number, number>();
  const bundles = new Map<string, { readonly thread: Thread; readonly strands: Thread[] }>();
  const single: Thread[] = [];
  for (let index = 0; index < threads.length; index++) {
    const from = moved[ends[2 * index] ?? 0] ?? -1;
    const target = moved[ends[2 * index + 1] ?? 0] ?? -1;
    if (from === target) continue;
    const thread = threads[index] as Thread;
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
