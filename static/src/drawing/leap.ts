import { type SVGTemplateResult, svg } from "lit";
import type { Point, Route } from "../layout/model";

const RADIUS = 10;

/** A wire to another row: where it leaves its own, where it goes on, and the letter that stands at both. */
export interface Leap {
  readonly letter: string;
  /** Beyond its source, with what its target is called. */
  readonly out: End;
  /** Before its target, with what its source is called. */
  readonly back: End;
}

interface End extends Point {
  readonly other: string;
}

/** The leap of a route, the `index`-th of a drawing; null for one that stays in its row. */
export function leapOf(route: Route, index: number, source: string, target: string): Leap | null {
  const at = route.findIndex(({ leaps }) => leaps);
  const [out, back] = [route[at - 1], route[at]];
  return out && back
    ? { letter: letters(index), out: { ...out, other: target }, back: { ...back, other: source } }
    : null;
}

/** The ground that an end of a leap covers. */
export const leapBox = ({ x, y }: Point) => ({ x: x - RADIUS, y: y - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS });

/** A to Z, then AA to AZ and so on. */
export const letters = (index: number): string =>
  (index < 26 ? "" : letters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

/** The same letter at both ends, as connectors between pages; a press on one leads to the other. */
export function drawLeap({ letter, out, back }: Leap, lit: boolean): SVGTemplateResult {
  return svg`${drawEnd(letter, lit, out, back, "Goes on to")}${drawEnd(letter, lit, back, out, "Comes from")}`;
}

function drawEnd(letter: string, lit: boolean, here: End, there: End, words: string): SVGTemplateResult {
  return svg`<g class="leap ${lit ? "lit" : ""}" data-place=${`${there.x} ${there.y}`} transform="translate(${here.x} ${here.y})">
    <title>${words} ${here.other}</title><circle r=${RADIUS}/><text y="4">${letter}</text>
  </g>`;
}
