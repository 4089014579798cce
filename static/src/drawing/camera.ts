import type { Direction, Point } from "../layout/model";
import type { Scene } from "../layout/scene";
import type { Box } from "../layout/titles";
import { leastCut } from "./edges";

/** Where the stage looks: world coordinates times `scale`, moved by `x`, `y` (in pixels of the stage). */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What is to be shown; a whole graph has a direction, and cards that an edge of the stage should not cut. */
export interface World extends Size {
  readonly direction?: Direction;
  readonly cards?: readonly Box[];
}

/** Empty border, in pixels and at most as a share of the stage; a narrow one has none to spare. */
const MARGIN = { most: 40, share: 0.045, narrow: 0.025, least: 10 };
/** Room above the topmost card for the arithmetic of a step. */
export const CALLOUT = 30;
/** A card closer to the border than this counts as out of view. */
export const EDGE = 6;
/** Largest magnification, for a page of ordinary letters; it grows with them. */
export const LARGEST = 1.5;
/** At this scale the smallest letters on cards are 8.6 px high: below it rather show a part, and follow the action. */
const READABLE = 0.75;
/** A whole that is only this much smaller is still shown as a whole, in letters of 8 px, rather than with its last card cut. */
const SPARING = 0.92;
/** How large a part is shown when the whole is too much; on a phone so that both ends of a wire are seen. */
const CLOSE = { wide: 1, narrow: 0.8 };
const closeUp = ({ width }: Size, letters: number): number =>
  width < NARROW ? CLOSE.narrow : CLOSE.wide * Math.max(1, Math.sqrt(letters));
/** The largest that a part is shown, so that one chapter after the other has one size; a phone has no room to be choosy. */
const closest = (stage: Size, letters: number): number =>
  stage.width < NARROW ? LARGEST * letters : 1.05 * closeUp(stage, letters);
/** Pixels of width below which a stage is narrow. */
const NARROW = 600;
/** What is at most this much too large to be read as a whole is shown as small as it can be read: little of it is missing. */
const NEARLY = 0.8;
/** By how much sizes differ in which a beginning may be shown, so that the edges of the stage cut no card. */
const TRIM = 0.0066;
const SMALLEST = 0.06;
/** A graph that is this much larger than the stage has a map; in a smaller one everything is found without. */
const EXCEEDS = 1.3;

/** From this size of the page's letters on (22 px), a graph's have to be larger as well to be read beside them. */
const FAR_AWAY = 1.4;

/** The least scale at which everything on a card can be read. A larger stage is first of all there to show more. */
export const readable = (letters: number): number => READABLE * Math.max(1, (letters / FAR_AWAY) ** 0.25);

/** How much larger than up close what has no room of its own is drawn from far away: messages, balloons, flags. */
export const MAGNIFIED = 1.5;

/** The least scale at which a whole is rather shown than a part of it. */
export const leastWhole = (letters: number): number => SPARING * readable(letters);

/** Whether cards are so small that fewer and larger words say more. */
export const isDistant = (camera: Camera, letters: number): boolean => camera.scale < 0.9 * readable(letters);

/** Whether the world is much larger than the stage. */
export const exceeds = (world: World, { scale }: Camera, stage: Size): boolean =>
  world.width * scale > stage.width * EXCEEDS || world.height * scale > stage.height * EXCEEDS;

export const marginOf = ({ width }: Size): number =>
  Math.min(MARGIN.most, width * (width < NARROW ? MARGIN.narrow : MARGIN.share));

/** The whole world in the middle of the stage. */
export function showAll(world: World, stage: Size, letters = 1, largest = LARGEST): Camera {
  // Where gradients go up, the arithmetic of the lowest card stands below it, out of their way.
  const height = world.height + CALLOUT * (world.direction === "down" ? 2 : 1);
  const fittingIn = (margin: number): number =>
    Math.min((stage.width - 2 * margin) / Math.max(1, world.width), (stage.height - 2 * margin) / Math.max(1, height));
  // Before letters get too small to be read, the border gives way.
  const fitting = Math.max(fittingIn(marginOf(stage)), Math.min(readable(letters), fittingIn(MARGIN.least)));
  const scale = Math.max(SMALLEST, Math.min(largest * letters, fitting));
  return {
    scale,
    x: (stage.width - world.width * scale) / 2,
    y: (stage.height - height * scale) / 2 + CALLOUT * scale,
  };
}

/** A sheet of paper between its margins, in CSS pixels. */
const SHEET: Size = { width: 680, height: 900 };

/** The whole world on paper, at most at full size: what is seen, and how much of the sheet it takes. */
export function onSheet(world: World): { camera: Camera; size: Size } {
  const { scale } = showAll(world, SHEET, 1, 1);
  const size = { width: SHEET.width, height: world.height * scale + 2 * MARGIN.most + CALLOUT };
  return { size, camera: showAll(world, size, 1, 1) };
}

/** A part of the world in the middle of the stage. */
export function showPart(part: Box, stage: Size, letters = 1): Camera {
  const camera = showAll(part, stage, letters, closest(stage, letters) / letters);
  return { ...camera, x: camera.x - part.x * camera.scale, y: camera.y - part.y * camera.scale };
}

/** Sizes that differ by less than this should be one, so that one chapter after the other has it. */
const ALIKE = 1.4;
const areAlike = (one: number, other: number): boolean => Math.max(one / other, other / one) < ALIKE;

/** A view of what stands in the middle, no larger than the view `before` where the two hardly differ. */
export const noLarger = (camera: Camera, before: number, { width, height }: Size): Camera =>
  areAlike(camera.scale, before) ? zoom(camera, Math.min(1, before / camera.scale), width / 2, height / 2) : camera;

/** What stands open beside folded parts; null where nothing is folded. */
export function openPart(scene: Scene): Box | null {
  const open = scene.cards.filter((card) => card.kind !== "group");
  if (open.length === 0 || open.length === scene.cards.length) return null;
  return open.map(({ x, y, width, height }): Box => ({ x, y, width, height })).reduce(union);
}

/**
 * The beginning of a world that is too large to be read at once, in a size in which the stage ends between cards. Rows
 * that can be read side by side are all on the stage, which is then moved along them only. It is hardly another size than
 * the one `before`, where that is near.
 */
export function showStart(world: World, stage: Size, letters = 1, before = 0): Camera {
  const nearly = showAll(world, stage, letters).scale > NEARLY * readable(letters);
  const across = fittingAcross(world, stage);
  const abreast = across >= leastWhole(letters);
  const [least, most] = abreast
    ? [Math.min(across, readable(letters)), across]
    : [readable(letters), closest(stage, letters)];
  const usual = Math.min(most, nearly ? least : Math.max(least, closeUp(stage, letters)));
  const stays = areAlike(usual, before);
  const wish = stays ? Math.min(most, closest(stage, letters), Math.max(least, before)) : usual;
  const margin = marginOf(stage);
  const centred = (extent: number, place: number): number => (extent < place ? (place - extent) / 2 : margin);
  const start = (scale: number): Camera => ({
    scale,
    x: centred(world.width * scale, stage.width),
    y: centred((world.height + CALLOUT) * scale, stage.height) + CALLOUT * scale,
  });
  const trimmed = (away: number): Camera | null => {
    const scale = wish * (1 + (away * TRIM) / (stays ? 4 : 1));
    return scale >= least && scale <= most ? start(scale) : null;
  };
  return leastCut(world.cards ?? [], stage, trimmed) ?? start(wish);
}

/** The scale at which a world just fits on the stage across its flow. */
const fittingAcross = ({ width, height, direction }: World, stage: Size): number =>
  direction === "down" ? (stage.width - 2 * EDGE) / width : (stage.height - 2 * EDGE) / (height + CALLOUT);

/** The same view, `factor` times closer, keeping the point under (`x`, `y`) where it is. */
export function zoom(camera: Camera, factor: number, x: number, y: number): Camera {
  const scale = Math.min(3, Math.max(SMALLEST, camera.scale * factor));
  const change = scale / camera.scale;
  return { scale, x: x - (x - camera.x) * change, y: y - (y - camera.y) * change };
}

export const pan = (camera: Camera, dx: number, dy: number): Camera => ({
  ...camera,
  x: camera.x + dx,
  y: camera.y + dy,
});

/** The same view, moved so that a point of the world is in the middle. */
export const centre = ({ scale }: Camera, { x, y }: Point, stage: Size): Camera => ({
  scale,
  x: stage.width / 2 - x * scale,
  y: stage.height / 2 - y * scale,
});

/** How far a key moves the view, as a share of what is seen. */
const GLANCE = 0.25;

export type Side = "left" | "right" | "up" | "down";
const TOWARDS: Readonly<Record<Side, readonly [number, number]>> = {
  left: [-1, 0],
  right: [1, 0],
  up: [0, -1],
  down: [0, 1],
};

/** A look further to one side. */
export function glance(camera: Camera, side: Side, stage: Size): Camera {
  const [x, y] = TOWARDS[side];
  return pan(camera, -x * stage.width * GLANCE, -y * stage.height * GLANCE);
}

/** Whether two views are near enough for the eye to follow a move between them. */
export function near(a: Camera, b: Camera, stage: Size): boolean {
  return Math.abs(a.x - b.x) < stage.width && Math.abs(a.y - b.y) < stage.height;
}

export function union(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}
