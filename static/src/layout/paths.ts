import type { Direction, Point, Route } from "./model";

/** A piece of a drawn wire: a straight line, or a cubic curve. */
export type Piece = readonly [Point, Point] | readonly [Point, Point, Point, Point];

/** Radius of the bend where a wire turns a corner. */
const BEND = 14;
/** A cubic curve with handles of this share of its radius is a quarter of a circle, to a thousandth. */
const QUARTER = 0.5523;

/**
 * A route as smooth pieces; where it leaps, a piece begins elsewhere than the one before ended. One source for the drawn
 * line and for what travels along it.
 */
export function smooth(route: Route, direction: Direction): Piece[] {
  return roundCorners(piecesOf(route, direction));
}

function piecesOf(route: Route, direction: Direction): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 1; i < route.length; i++) {
    const [a, b] = [route[i - 1], route[i]];
    if (!a || !b || b.leaps || (a.x === b.x && a.y === b.y)) continue;
    const straight = Math.abs(a.x - b.x) < 0.5 || Math.abs(a.y - b.y) < 0.5;
    if (straight) {
      pieces.push([a, b]);
    } else if (direction === "right") {
      const bend = (b.x - a.x) * 0.5;
      pieces.push([a, { x: a.x + bend, y: a.y }, { x: b.x - bend, y: b.y }, b]);
    } else {
      const bend = (b.y - a.y) * 0.5;
      pieces.push([a, { x: a.x, y: a.y + bend }, { x: b.x, y: b.y - bend }, b]);
    }
  }
  return pieces;
}

/** Where one straight line meets another at an angle, the wire takes the corner in a bend. */
function roundCorners(pieces: readonly Piece[]): Piece[] {
  const rounded: Piece[] = [];
  let start: Point | null = null;
  for (const [i, piece] of pieces.entries()) {
    const next = pieces[i + 1];
    const from: Point = start ?? piece[0];
    start = null;
    const meets = piece.length === 2 && next?.length === 2 && same(piece[1], next[0]);
    if (!meets || !turns(piece[0], piece[1], next[1])) {
      rounded.push(piece.length === 2 ? [from, piece[1]] : piece);
      continue;
    }
    const corner = piece[1];
    const radius = Math.min(BEND, distance(piece[0], corner) / 2, distance(corner, next[1]) / 2);
    const [before, after] = [towards(corner, piece[0], radius), towards(corner, next[1], radius)];
    rounded.push([from, before]);
    rounded.push([before, towards(before, corner, radius * QUARTER), towards(after, corner, radius * QUARTER), after]);
    start = after;
  }
  return rounded;
}

const same = (a: Point, b: Point): boolean => a.x === b.x && a.y === b.y;

/** Whether the way from `a` to `c` turns at `b`. */
const turns = (a: Point, b: Point, c: Point): boolean =>
  Math.abs((b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x)) > 1;

const distance = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y);

/** The point at a distance from `a` on the way to `b`. */
function towards(a: Point, b: Point, by: number): Point {
  const share = by / Math.max(by, distance(a, b), 1e-9);
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
}

const print = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;

/** The `d` attribute of an SVG path. */
export function pathText(pieces: readonly Piece[]): string {
  let at: Point | undefined;
  return pieces
    .map((piece) => {
      const move = at && same(at, piece[0]) ? "" : `M${print(piece[0])}`;
      at = piece.at(-1);
      const drawn =
        piece.length === 2 ? `L${print(piece[1])}` : `C${print(piece[1])} ${print(piece[2])} ${print(piece[3])}`;
      return move + drawn;
    })
    .join("");
}

const CURVE_STEPS = 16;

/** Points along the pieces with the length walked so far: cheap to build, unlike the DOM's `getPointAtLength`. */
export class Walk {
  private readonly points: Point[] = [];
  private readonly walked: number[] = [];

  constructor(pieces: readonly Piece[]) {
    for (const piece of pieces) {
      const steps = piece.length === 2 ? 1 : CURVE_STEPS;
      const begins = this.points.at(-1);
      // A leap takes no time.
      if (!begins || !same(begins, piece[0])) this.add(piece[0], this.length);
      for (let k = 1; k <= steps; k++) this.add(pointOf(piece, k / steps));
    }
  }

  get length(): number {
    return this.walked.at(-1) ?? 0;
  }

  /** The point at a share of the whole length, 0 at the source and 1 at the target. */
  at(share: number): Point {
    const wanted = Math.min(1, Math.max(0, share)) * this.length;
    let high = this.walked.findIndex((walked) => walked >= wanted);
    if (high < 0) high = this.walked.length - 1;
    const [a, b] = [this.points[Math.max(0, high - 1)], this.points[high]];
    if (!a || !b) return this.points[0] ?? { x: 0, y: 0 };
    const [from, to] = [this.walked[Math.max(0, high - 1)] ?? 0, this.walked[high] ?? 0];
    const part = to > from ? (wanted - from) / (to - from) : 0;
    return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part };
  }

  private add(point: Point, walked?: number): void {
    const last = this.points.at(-1);
    this.walked.push(walked ?? (last ? this.length + Math.hypot(point.x - last.x, point.y - last.y) : 0));
    this.points.push(point);
  }
}

function pointOf(piece: Piece, t: number): Point {
  const u = 1 - t;
  if (piece.length === 2) return { x: piece[0].x * u + piece[1].x * t, y: piece[0].y * u + piece[1].y * t };
  const [a, b, c, d] = piece;
  const [ka, kb, kc, kd] = [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t];
  return { x: ka * a.x + kb * b.x + kc * c.x + kd * d.x, y: ka * a.y + kb * b.y + kc * c.y + kd * d.y };
}
