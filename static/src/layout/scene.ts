import type { Trace } from "../trace/types";
import { repeatSharedLeaves } from "./aliases";
import { arrange } from "./arrange";
import { buildCards, type Card, type CardGraph, type Thread } from "./cards";
import { packComponents } from "./components";
import { foldParts } from "./fold";
import type { Direction, Point } from "./model";
import { outlineParts, type PartOutline } from "./outlines";
import { cardSize } from "./sizes";

/** A card in its place: `x`, `y` are its upper left corner. */
export interface PlacedCard extends Card {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedThread extends Thread {
  readonly route: readonly Point[];
}

/** Everything that will ever be on the stage, where it will stay. Playing only reveals it. */
export interface Scene {
  readonly cards: readonly PlacedCard[];
  readonly threads: readonly PlacedThread[];
  readonly cardOfNode: readonly number[];
  readonly cardOfTensor: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly direction: Direction;
  /** Loop turns, modules and function calls with the cards inside them, outermost first. */
  readonly parts: readonly PartOutline[];
}

/** Lays a trace out in the direction in which it can be shown larger in a place of this aspect (width over height). */
export function layOutTrace(trace: Trace, aspect: number, closed: ReadonlySet<number> = new Set()): Scene {
  return layOutGraph(trace, foldParts(trace, wholeGraph(trace), closed), aspect);
}

/** Every card of a trace, with shared leaves drawn where they are used. Made once for a trace. */
export const wholeGraph = (trace: Trace): CardGraph => repeatSharedLeaves(trace, buildCards(trace));

/** Lays out what is left of a graph after folding. */
export function layOutGraph(trace: Trace, graph: CardGraph, aspect: number): Scene {
  const [right, down] = [arrangeTowards(trace, graph, "right", aspect), arrangeTowards(trace, graph, "down", aspect)];
  const room = (scene: Scene): number => Math.min(aspect / Math.max(1, scene.width), 1 / Math.max(1, scene.height));
  // Reading runs to the right, so down has to be clearly better.
  return room(down) > room(right) * 1.15 ? down : right;
}

export function layOutTowards(
  trace: Trace,
  direction: Direction,
  aspect: number,
  closed: ReadonlySet<number> = new Set(),
): Scene {
  return arrangeTowards(trace, foldParts(trace, wholeGraph(trace), closed), direction, aspect);
}

function arrangeTowards(trace: Trace, graph: CardGraph, direction: Direction, aspect: number): Scene {
  const sizes = graph.cards.map((card) => cardSize(trace, card));
  const parts = splitIntoParts(graph);
  const placeInPart: number[] = [];
  for (const part of parts) for (const [place, card] of part.cards.entries()) placeInPart[card] = place;
  const arranged = parts.map((part) => ({
    part,
    arrangement: arrange({
      direction,
      aspect,
      boxes: part.cards.map((card) => ({
        width: sizes[card]?.width ?? 0,
        height: sizes[card]?.height ?? 0,
        group: graph.cards[card]?.scope ?? 0,
      })),
      wires: part.threads.map((thread) => wireOf(graph, placeInPart, thread)),
    }),
  }));
  const packed = packComponents(
    arranged.map(({ arrangement }) => arrangement),
    direction,
    aspect,
  );
  const places: Point[] = [];
  const routes: (readonly Point[])[] = [];
  for (const [index, { part, arrangement }] of arranged.entries()) {
    const shift = packed.shifts[index] ?? { x: 0, y: 0 };
    const move = (point: Point): Point => ({ x: point.x + shift.x, y: point.y + shift.y });
    for (const [i, card] of part.cards.entries()) places[card] = move(arrangement.places[i] ?? { x: 0, y: 0 });
    for (const [i, thread] of part.threads.entries()) routes[thread] = (arrangement.routes[i] ?? []).map(move);
  }
  const cards = graph.cards.map((card, i) => place(card, places[i], sizes[i]));
  return {
    cards,
    threads: graph.threads.map((thread, i) => ({ ...thread, route: routes[i] ?? [] })),
    cardOfNode: graph.cardOfNode,
    cardOfTensor: graph.cardOfTensor,
    width: packed.width,
    height: packed.height,
    direction,
    parts: outlineParts(trace, cards),
  };
}

function place(
  card: Card,
  centre: Point = { x: 0, y: 0 },
  size: { width: number; height: number } = { width: 0, height: 0 },
): PlacedCard {
  return { ...card, ...size, x: centre.x - size.width / 2, y: centre.y - size.height / 2 };
}

function wireOf(graph: CardGraph, placeIn: readonly number[], thread: number) {
  const { from, to, port } = graph.threads[thread] as Thread;
  return { from: placeIn[from] ?? 0, to: placeIn[to] ?? 0, port };
}

interface Part {
  readonly cards: number[];
  readonly threads: number[];
}

/** Connected parts of the graph, in order of their first step. */
function splitIntoParts(graph: CardGraph): Part[] {
  const root = graph.cards.map((_, card) => card);
  const find = (card: number): number => {
    let top = card;
    while (root[top] !== top) top = root[top] ?? top;
    for (let at = card; at !== top; ) [at, root[at]] = [root[at] ?? top, top];
    return top;
  };
  for (const { from, to } of graph.threads) {
    const [a, b] = [find(from), find(to)];
    root[Math.max(a, b)] = Math.min(a, b);
  }
  const parts = new Map<number, Part>();
  for (const [card] of graph.cards.entries()) {
    const part = parts.get(find(card)) ?? { cards: [], threads: [] };
    part.cards.push(card);
    parts.set(find(card), part);
  }
  for (const [thread, { from }] of graph.threads.entries()) parts.get(find(from))?.threads.push(thread);
  return [...parts.values()];
}
