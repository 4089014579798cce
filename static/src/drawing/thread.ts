import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Point } from "../layout/model";
import { type Piece, pathText, smooth, Walk } from "../layout/paths";
import type { PlacedThread, Scene } from "../layout/scene";
import { CHARACTER } from "../layout/sizes";
import { boxAround, titleBox, touches } from "../layout/titles";
import { edgeMessage, type Pass, type Slot } from "../state/frame";
import type { History } from "../state/history";
import { drawLeap, type Leap, leapBox, leapOf } from "./leap";
import { drawTiny, TINY } from "./value";
import { bounds } from "./visible";
import { chipText, isShort } from "./words";

/** A thread ready for drawing: its pieces, and a walk along it for what travels. */
export interface DrawnThread extends PlacedThread {
  readonly pieces: readonly Piece[];
  readonly walk: Walk;
  /** Where on the walk a message comes to rest, from 0 at its receiver to 1 at its sender. */
  readonly rest: number;
  /** Where it goes on in another row, if it does. */
  readonly leap: Leap | null;
  readonly bounds: ReturnType<typeof bounds>;
}

/** Distances from the receiver that a message may rest at, nearest first. */
const RESTS = [44, 56, 70, 86, 104, 124, 150, 180];
const CHIP = { width: 62, height: 22 };
/** Longest text of a message; there is less room between cards than on them. */
const MOST_TEXT = 6;
/** A message keeps at least this far from its sender. */
const CLEAR = 34;

/** Prepares threads for drawing. Messages come to rest near their receivers, where they do not cover one another. */
export function prepareThreads({ threads, cards, parts, direction }: Scene): DrawnThread[] {
  const taken: Point[] = [];
  let count = 0;
  const leaps = threads.map(({ route, from, to }) => {
    const leap = leapOf(route, count, cards[from]?.title ?? "", cards[to]?.title ?? "");
    if (leap) count++;
    return leap;
  });
  const obstacles = [
    ...cards,
    ...parts.map((part) => titleBox(part.title, part.titleAt)),
    ...leaps.flatMap((leap) => (leap ? [leapBox(leap.out), leapBox(leap.back)] : [])),
  ];
  const free = (at: Point): boolean =>
    !obstacles.some((box) => touches(box, chipBox(at))) &&
    taken.every((other) => Math.abs(other.x - at.x) >= CHIP.width || Math.abs(other.y - at.y) >= CHIP.height);
  return threads.map((thread, index) => {
    const pieces = smooth(thread.route, direction);
    const walk = new Walk(pieces);
    const shares = RESTS.filter((distance) => distance <= walk.length - CLEAR).map(
      (distance) => distance / walk.length,
    );
    const rest = shares.find((share) => free(walk.at(share))) ?? shares[0] ?? 0.5;
    if (thread.node !== null) taken.push(walk.at(rest));
    return { ...thread, pieces, walk, rest, leap: leaps[index] ?? null, bounds: bounds(thread.route) };
  });
}

/** The ground that a message covers around the place where it rests. */
export const chipBox = (at: Point, magnified = 1) => boxAround(at, CHIP.width * magnified, CHIP.height * magnified);

/** The line of a thread. A tracked argument is solid; an untracked one is dashed, for no gradient will pass. */
export function drawLine(thread: DrawnThread, lit: boolean): SVGTemplateResult {
  const look = `${thread.node === null ? "untracked" : "tracked"} ${lit ? "lit" : ""}`;
  const end = thread.walk.at(1);
  return svg`<path class="thread ${look}" pathLength="1" d=${pathText(thread.pieces)}/><circle class="port" cx=${end.x} cy=${end.y} r="3"/>${thread.leap ? drawLeap(thread.leap, lit) : nothing}`;
}

/** Where a value leaves the graph, the way back is barred, and the bar says by what. Drawn above all lines, which it would be hidden by. */
export function drawCut(thread: DrawnThread): SVGTemplateResult | typeof nothing {
  if (!thread.left) return nothing;
  const at = thread.walk.at(0.5);
  const width = thread.left.length * CHARACTER.small + 18;
  return svg`<g class="cut" transform="translate(${at.x} ${at.y})">
    <rect x=${-width / 2} y="-10" width=${width} height="20" rx="3"/>
    <path d="M${-width / 2} -10v20M${width / 2} -10v20"/>
    <text y="4">${thread.left}</text>
  </g>`;
}

/** The last message along a thread, or along any of the edges that a bundle stands for. */
function lastMessage(history: History, thread: DrawnThread, step: number, pass: Pass | null): Slot {
  const slots = [thread, ...thread.strands].flatMap(({ node, slot }) =>
    node === null ? [] : [edgeMessage(history, node, slot, step, pass)],
  );
  const cause = (slot: Slot): number => (slot.state === "not_yet" ? -1 : slot.cause);
  return slots.reduce((last, slot) => (cause(slot) > cause(last) ? slot : last));
}

/** The last message along a thread in this pass, at rest by its receiver. */
export function drawMessage(
  history: History,
  thread: DrawnThread,
  step: number,
  pass: Pass | null,
  index: number,
): SVGTemplateResult | typeof nothing {
  if (thread.node === null) return nothing;
  const slot = lastMessage(history, thread, step, pass);
  if (slot.state === "not_yet") return nothing;
  // On its way a value of many numbers is its pattern; the card that it reaches tells its shape too.
  const pattern = slot.state === "value" && !isShort(slot.value, MOST_TEXT) ? slot.value : null;
  const text = slot.state === "none" ? "None" : pattern ? "" : chipText(slot.value);
  const width = (pattern ? TINY.width + 4 : text.length * CHARACTER.small) + 28;
  const at = thread.walk.at(thread.rest);
  const fresh = slot.cause === step;
  return svg`<g class="message ${slot.state} ${fresh ? "fresh" : ""} ${pass?.running ? "" : "past"}" data-thread=${index} data-cause=${slot.cause} transform="translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})">
    <g class="sized"><rect x=${-width / 2} y="-10.5" width=${width} height="21" rx="10.5"/>
    <text x=${pattern ? -TINY.width / 2 - 1 : 0} y="4"><tspan class="glyph">∂ </tspan>${text}</text>
    ${pattern ? drawTiny(pattern, -TINY.width / 2 + 7, -TINY.height / 2) : nothing}</g>
  </g>`;
}
