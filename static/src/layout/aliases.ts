import { type Card, type CardGraph, columnsOf } from "./cards";
import { ROOT, turnOf } from "./parts";
import { MOST } from "./stretches";

/** A card of a leaf, and the place in the program of the first operation that is drawn with it. */
interface Home {
  readonly card: number;
  readonly first: number;
}

/** How many operations were recorded before each card. */
function orderOfOperations({ cards }: CardGraph): readonly number[] {
  let count = 0;
  return cards.map(({ kind }) => (kind === "operation" ? count++ : count));
}

/**
 * Draws a leaf anew in each loop turn, or stretch of a long program, that uses it. It is one tensor; a picture in which
 * every turn's wires run back to one place is a hairball. What the card shows is the same everywhere.
 */
export function repeatSharedLeaves(graph: CardGraph): CardGraph {
  const cards: Card[] = [...graph.cards];
  const homes = new Map<string, Home>();
  const order = orderOfOperations(graph);
  const firstTurn = new Map<number, number>();
  const threads = graph.threads.map((thread) => {
    const leaf = graph.cards[thread.from];
    const consumer = graph.cards[thread.to];
    if (!leaf || !consumer || leaf.kind === "operation") return thread;
    const turn = turnOf(graph.parts, consumer.scope);
    const key = `${thread.from}:${turn}`;
    const [home, now] = [homes.get(key), order[thread.to] ?? 0];
    if (home && now - home.first <= MOST) return home.card === thread.from ? thread : { ...thread, from: home.card };
    const isFirst = !firstTurn.has(thread.from);
    if (isFirst) firstTurn.set(thread.from, turn);
    const card = isFirst
      ? thread.from
      : cards.push({
          ...leaf,
          key: `${leaf.key}@${turn}${home ? `.${now}` : ""}`,
          step: Math.max(leaf.step, consumer.step),
          scope: turn === ROOT ? 0 : turn,
          repeats: true,
        }) - 1;
    homes.set(key, { card, first: now });
    return isFirst ? thread : { ...thread, from: card };
  });
  // A leaf that is used in one turn only belongs to that turn.
  for (const [card, turn] of firstTurn) {
    const record = cards[card];
    if (record && turn !== ROOT) cards[card] = { ...record, scope: turn };
  }
  return { ...graph, cards, threads, ...columnsOf(cards, threads) };
}
