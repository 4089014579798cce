/** The layout's own words: boxes joined by wires, and where they ended up. It knows nothing of tensors. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A corner point of a wire. */
export interface Corner extends Point {
  /** No line leads here from the point before: the wire ended there, and goes on here in another row. */
  readonly leaps?: boolean;
}

/** The corner points that a wire passes, from its source to its target. */
export type Route = readonly Corner[];

/** A rectangle to be placed. Data flows from a box's far side into the near side of the next. */
export interface Box {
  readonly width: number;
  readonly height: number;
  /** Boxes of one group (a module, a loop turn) are kept in one row where possible. */
  readonly group: number;
}

/** A connection from one box to a numbered port of another. */
export interface Wire {
  readonly from: number;
  readonly to: number;
  /** Place among the arguments of `to`; lower ports sit higher (or further left). */
  readonly port: number;
}

/** `right`: data flows left to right. `down`: top to bottom, for narrow screens. */
export type Direction = "right" | "down";

export interface Diagram {
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
  readonly direction: Direction;
  /** Width over height of the place it will be shown in; long diagrams are folded into rows towards it. */
  readonly aspect: number;
}

export interface Arrangement {
  /** The middle of every box. */
  readonly places: readonly Point[];
  readonly routes: readonly Route[];
  readonly width: number;
  readonly height: number;
  /** Number of wire crossings that are left, for tests and comparisons. */
  readonly crossings: number;
}

/** Distances between boxes, in the same units as their sizes. */
export const SPACING = {
  /** Between two ranks, along the flow: room for a message at rest and, flowing down, for a call-out above a card. */
  along: { right: 88, down: 108 },
  /** Between two boxes of one rank. Room for a call-out above a card. */
  across: 44,
  /** Between a box and a passing wire. */
  wire: 26,
  /** Between two ports on one side of a box. */
  port: 24,
  /** Between two folded rows. */
  row: 72,
} as const;
