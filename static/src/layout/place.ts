import { arrange } from "./arrange";
import { packComponents } from "./components";
import type { Box, Corner, Direction, Point, Route, Wire } from "./model";

/** What is to be placed: boxes and wires, without what they stand for. Plain data, which a worker can be sent. */
export interface Plan {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
  /** Width over height of the place it will be shown in. */
  readonly aspect: number;
}

/** A place of an aspect below this, such as a phone's, shows one card beside another, but both of a wire that runs down. */
const SQUARE = 1.3;
/** How much larger a drawing has to be shown, to run down: reading runs to the right, where there is room for it. */
const BIAS = { wide: 1.15, high: 1 / 1.5 };

/** Where everything of a plan is. */
export interface Placement {
  readonly direction: Direction;
  /** The middle of every box. */
  readonly places: readonly Point[];
  readonly routes: readonly Route[];
  readonly width: number;
  readonly height: number;
}

/** Places a plan in the direction in which it can be shown larger. */
export function place(plan: Plan): Placement {
  const [right, down] = [placeTowards(plan, "right"), placeTowards(plan, "down")];
  const room = ({ width, height }: Placement): number =>
    Math.min(plan.aspect / Math.max(1, width), 1 / Math.max(1, height));
  return room(down) > room(right) * (plan.aspect < SQUARE ? BIAS.high : BIAS.wide) ? down : right;
}

/** Lays out each connected piece, and sets the pieces side by side. */
export function placeTowards({ boxes, wires, aspect }: Plan, direction: Direction): Placement {
  const pieces = splitIntoPieces(boxes.length, wires);
  const placeInPiece: number[] = [];
  for (const piece of pieces) for (const [index, box] of piece.boxes.entries()) placeInPiece[box] = index;
  const arrangements = pieces.map((piece) =>
    arrange({
      direction,
      aspect,
      boxes: piece.boxes.flatMap((box) => boxes[box] ?? []),
      wires: piece.wires.flatMap((index) => {
        const wire = wires[index];
        return wire ? [{ from: placeInPiece[wire.from] ?? 0, to: placeInPiece[wire.to] ?? 0, port: wire.port }] : [];
      }),
    }),
  );
  const packed = packComponents(arrangements, aspect);
  const places: Point[] = [];
  const routes: Route[] = [];
  for (const [index, piece] of pieces.entries()) {
    const [arrangement, shift] = [arrangements[index], packed.shifts[index] ?? { x: 0, y: 0 }];
    const move = (corner: Corner): Corner => ({ ...corner, x: corner.x + shift.x, y: corner.y + shift.y });
    for (const [i, box] of piece.boxes.entries()) places[box] = move(arrangement?.places[i] ?? { x: 0, y: 0 });
    for (const [i, wire] of piece.wires.entries()) routes[wire] = (arrangement?.routes[i] ?? []).map(move);
  }
  return { direction, places, routes, width: packed.width, height: packed.height };
}

interface Piece {
  readonly boxes: number[];
  readonly wires: number[];
}

/** Connected pieces, in order of their first box. */
function splitIntoPieces(count: number, wires: readonly Wire[]): Piece[] {
  const root = Array.from({ length: count }, (_, box) => box);
  const find = (box: number): number => {
    let top = box;
    while (root[top] !== top) top = root[top] ?? top;
    for (let at = box; at !== top; ) [at, root[at]] = [root[at] ?? top, top];
    return top;
  };
  for (const { from, to } of wires) {
    const [a, b] = [find(from), find(to)];
    root[Math.max(a, b)] = Math.min(a, b);
  }
  const pieces = new Map<number, Piece>();
  for (let box = 0; box < count; box++) {
    const piece = pieces.get(find(box)) ?? { boxes: [], wires: [] };
    piece.boxes.push(box);
    pieces.set(find(box), piece);
  }
  for (const [wire, { from }] of wires.entries()) pieces.get(find(from))?.wires.push(wire);
  return [...pieces.values()];
}
