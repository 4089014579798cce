import type { Trace } from "../trace/types";
import type { Card, CardGraph } from "./cards";
import { turnOf } from "./regions";

/**
 * Draws a leaf anew in each loop turn that uses it. It is one tensor; a picture in which every turn's wires run back to
 * one place is a hairball. What the card shows is the same everywhere.
 */
export function repeatSharedLeaves(trace: Trace, graph: CardGraph): CardGraph {
  const cards: Card[] = graph.cards.map((card) => ({ ...card }));
  const homes = new Map<string, number>();
  const firstTurn = new Map<number, number>();
  const threads = graph.threads.map((thread) => {
    const leaf = graph.cards[thread.from];
    const consumer = graph.cards[thread.to];
    if (!leaf || !consumer || leaf.kind === "operation") return thread;
    const turn = turnOf(trace, consumer.scope);
    if (!firstTurn.has(thread.from)) firstTurn.set(thread.from, turn);
    if (firstTurn.get(thread.from) === turn) return thread;
    const home = `${thread.from}:${turn}`;
    let from = homes.get(home);
    if (from === undefined) {
      from =
        cards.push({
          ...leaf,
          key: `${leaf.key}@${turn}`,
          step: Math.max(leaf.step, consumer.step),
          scope: turn,
          repeats: true,
        }) - 1;
      homes.set(home, from);
    }
    return { ...thread, from };
  });
  // A leaf that is used in one turn only belongs to that turn.
  for (const [card, turn] of firstTurn) {
    const record = cards[card];
    if (record && turn !== 0) cards[card] = { ...record, scope: turn };
  }
  return { ...graph, cards, threads };
}
