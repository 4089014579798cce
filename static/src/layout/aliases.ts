import { type Card, type CardGraph, columnsOf } from "./cards";
import { ROOT, turnOf } from "./parts";

/**
 * Draws a leaf anew in each loop turn, or stretch of a long program, that uses it. It is one tensor; a picture in which
 * every turn's wires run back to one place is a hairball. What the card shows is the same everywhere.
 */
export function repeatSharedLeaves(graph: CardGraph): CardGraph {
  const cards: Card[] = [...graph.cards];
  const homes = new Map<string, number>();
  const firstTurn = new Map<number, number>();
  const threads = graph.threads.map((thread) => {
    const leaf = graph.cards[thread.from];
    const consumer = graph.cards[thread.to];
    if (!leaf || !consumer || leaf.kind === "operation") return thread;
    const turn = turnOf(graph.parts, consumer.scope);
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
          scope: turn === ROOT ? 0 : turn,
          repeats: true,
        }) - 1;
      homes.set(home, from);
    }
    return { ...thread, from };
  });
  // A leaf that is used in one turn only belongs to that turn.
  for (const [card, turn] of firstTurn) {
    const record = cards[card];
    if (record && turn !== ROOT) cards[card] = { ...record, scope: turn };
  }
  return { ...graph, cards, threads, ...columnsOf(cards, threads) };
}
