import type { Point } from "../layout/model";
import type { Scene } from "../layout/scene";
import type { Step } from "../trace/types";
import { type Motion, move } from "./motion";
import type { DrawnThread } from "./thread";

/** More messages than this in one stride are shown at rest, without travelling. */
const MOST_TRAVELLERS = 12;
/** Time between the departures of two messages of one stride, in milliseconds. */
const STAGGER = 120;
/** How long it takes what has arrived to be put in, in milliseconds; the sum shows when it is there (`--delivery`). */
export const DELIVERY = 260;

/** What is on the stage, and what of it a step moves. */
export interface Play {
  readonly world: SVGGElement;
  readonly scene: Scene;
  readonly threads: readonly DrawnThread[];
  readonly event: Step | undefined;
  /** The step that was shown before this one. */
  readonly shownBefore: number;
  /** How long a message travels, in milliseconds. */
  readonly travel: number;
}

/** Moves what this step moves, and nothing else: messages on their way, what is added, what is stored. */
export function choreograph(play: Play): Motion[] {
  return [...sendMessages(play), ...addUp(play), ...store(play)];
}

/** Messages of this stride travel from their sender to where they rest. */
function sendMessages({ world, threads, shownBefore, travel }: Play): Motion[] {
  const fresh = messagesIn(world).filter(({ cause }) => cause > shownBefore);
  if (fresh.length > MOST_TRAVELLERS) return [];
  return fresh.flatMap(({ element, thread: index }, i) => {
    const thread = threads[index];
    if (!thread) return [];
    return [move(travel, i * STAGGER, (share) => put(element, thread.walk.at(1 - share * (1 - thread.rest))))];
  });
}

/** Where gradients meet, the messages go into the node and become one number there. */
function addUp({ world, scene, threads, event }: Play): Motion[] {
  if (event?.kind !== "messages_summed") return [];
  const card = scene.cardOfNode[event.node] ?? -1;
  const goal = placeOf(world, scene, card, ".pill.summed");
  if (!goal) return [];
  const arrived = messagesIn(world).filter(({ thread }) => threads[thread]?.from === card);
  // What was added before is in the sum already.
  return arrived.slice(event.arrived === 2 ? -2 : -1).flatMap(({ element, thread: index }) => {
    const thread = threads[index];
    return thread ? [deliver(world, element, thread.walk.at(thread.rest), goal)] : [];
  });
}

/** The complete gradient goes from the accumulator into `.grad`. */
function store({ world, scene, event }: Play): Motion[] {
  if (event?.kind !== "gradient_stored") return [];
  const card = scene.cardOfTensor[event.tensor] ?? -1;
  const [start, goal] = [".pill.gradient", ".pill.stored"].map((pill) => placeOf(world, scene, card, pill));
  const pill = pillIn(world, card, ".pill.gradient");
  return start && goal && pill ? [deliver(world, pill, start, goal)] : [];
}

/** Lets a copy of a message or pill go from one place to another, where it dissolves. */
function deliver(world: SVGGElement, original: SVGGElement, start: Point, goal: Point): Motion {
  const copy = original.cloneNode(true) as SVGGElement;
  const holder = document.createElementNS("http://www.w3.org/2000/svg", "g");
  holder.setAttribute("class", "delivered");
  // A message stands around its own origin, a pill somewhere on its card.
  if (original.classList.contains("message")) copy.removeAttribute("transform");
  else put(copy, negative(middleOf(original)));
  holder.append(copy);
  world.append(holder);
  return move(DELIVERY, 0, (share) => {
    put(holder, { x: start.x + (goal.x - start.x) * share, y: start.y + (goal.y - start.y) * share });
    holder.setAttribute("opacity", String(1 - share ** 4));
    if (share === 1) holder.remove();
  });
}

const messagesIn = (world: SVGGElement) =>
  [...world.querySelectorAll<SVGGElement>(":scope > .message")]
    .map((element) => ({ element, thread: Number(element.dataset.thread), cause: Number(element.dataset.cause) }))
    .sort((a, b) => a.cause - b.cause);

const pillIn = (world: SVGGElement, card: number, pill: string): SVGGElement | null =>
  world.querySelector<SVGGElement>(`:scope > [data-card="${card}"] ${pill}`);

/** The middle of a pill on the stage. */
function placeOf(world: SVGGElement, scene: Scene, index: number, look: string): Point | null {
  const [card, pill] = [scene.cards[index], pillIn(world, index, look)];
  if (!card || !pill) return null;
  // A pill that is drawn large says where it stands.
  const [x, y] = pill.closest<SVGGElement>("[data-at]")?.dataset.at?.split(" ").map(Number) ?? [];
  const at = x === undefined || y === undefined ? middleOf(pill) : { x, y };
  return { x: card.x + at.x, y: card.y + at.y };
}

/** The middle of a pill on its card, from what was drawn: asking the browser would cost a layout. */
function middleOf(pill: SVGGElement): Point {
  const side = (name: string): number => Number(pill.querySelector("rect")?.getAttribute(name) ?? 0);
  return { x: side("x") + side("width") / 2, y: side("y") + side("height") / 2 };
}

const negative = ({ x, y }: Point): Point => ({ x: -x, y: -y });

const put = (element: SVGGElement, { x, y }: Point): void =>
  element.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
