import type { Trace } from "../trace/types";
import { repeatSharedLeaves } from "./aliases";
import { buildCards, type Card, type CardGraph, type Thread } from "./cards";
import type { Direction, Route } from "./model";
import { outlineParts, type PartOutline } from "./outlines";
import type { Parts } from "./parts";
import type { Placement, Plan } from "./place";
import { cardSize } from "./sizes";

/** A card in its place: `x`, `y` are its upper left corner. */
export interface PlacedCard extends Card {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedThread extends Thread {
  readonly route: Route;
}

/** Everything that will ever be on the stage, where it will stay. Playing only reveals it. */
export interface Scene {
  readonly cards: readonly PlacedCard[];
  readonly threads: readonly PlacedThread[];
  readonly cardOfNode: Int32Array;
  readonly cardOfTensor: Int32Array;
  readonly width: number;
  readonly height: number;
  readonly direction: Direction;
  /** Loop turns, modules, function calls and stretches with the cards inside them, outermost first. */
  readonly parts: readonly PartOutline[];
  /** All parts of the program, folded ones as well. */
  readonly program: Parts;
}

/** Every card of a trace, with shared leaves drawn where they are used. Made once for a trace. */
export const wholeGraph = (trace: Trace): CardGraph => repeatSharedLeaves(buildCards(trace));

/** What of a graph has to be placed. */
export const planOf = (trace: Trace, graph: CardGraph, aspect: number): Plan => ({
  boxes: graph.cards.map((card) => ({ ...cardSize(trace, card), group: card.scope })),
  wires: graph.threads.map(({ from, to, port }) => ({ from, to, port })),
  aspect,
});

/** A graph with its plan placed. */
export function sceneOf(graph: CardGraph, { boxes }: Plan, placement: Placement): Scene {
  const cards = graph.cards.map((card, index): PlacedCard => {
    const { width = 0, height = 0 } = boxes[index] ?? {};
    const { x = 0, y = 0 } = placement.places[index] ?? {};
    return { ...card, width, height, x: x - width / 2, y: y - height / 2 };
  });
  return {
    cards,
    threads: graph.threads.map((thread, index) => ({ ...thread, route: placement.routes[index] ?? [] })),
    cardOfNode: graph.cardOfNode,
    cardOfTensor: graph.cardOfTensor,
    width: placement.width,
    height: placement.height,
    direction: placement.direction,
    parts: outlineParts(graph.parts, cards),
    program: graph.parts,
  };
}
