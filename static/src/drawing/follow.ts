import type { Box } from "../layout/titles";
import { CALLOUT, type Camera, EDGE, marginOf, type Size, union, type World } from "./camera";
import { leastCut } from "./edges";

/** By how much views differ that may follow, so that the edges of the stage cut no card; as a share of the stage. */
const REACH = 0.01;

/** The smallest box around as many of these parts, from the first on, as fit on the stage together. */
export function together(parts: readonly Box[], { scale }: Camera, stage: Size): Box | null {
  let around: Box | null = null;
  for (const part of parts) {
    const all: Box = around ? union(around, part) : part;
    if (around && (all.width * scale > stage.width - 2 * EDGE || all.height * scale > stage.height - 2 * EDGE)) break;
    around = all;
  }
  return around;
}

/**
 * Moves so that a part of the world (its middle, at least) is comfortably in view, showing no more emptiness beside the
 * world than a border, and as few cards in part as can be; not at all while the part is in view. Where only one axis has
 * to move, the other one moves too if fewer cards are cut then.
 */
export function follow(camera: Camera, part: Box, world: World, stage: Size): Camera {
  const margin = marginOf(stage);
  if (isSeen(camera, "x", part, stage) && isSeen(camera, "y", part, stage)) return camera;
  const across = moved(camera, "x", part, world, stage, margin, margin);
  return moved(across, "y", part, world, stage, margin + CALLOUT * camera.scale, margin);
}

const EXTENT = { x: "width", y: "height" } as const;
type Axis = keyof typeof EXTENT;

/** Whether a part is in view along one axis. */
function isSeen(camera: Camera, axis: Axis, part: Box, stage: Size): boolean {
  const start = part[axis] * camera.scale + camera[axis];
  return start >= EDGE && start + part[EXTENT[axis]] * camera.scale <= stage[EXTENT[axis]] - EDGE;
}

/** Follows along one axis, with room left free `before` and `after` the world. */
function moved(
  camera: Camera,
  axis: Axis,
  part: Box,
  world: World,
  stage: Size,
  before: number,
  after: number,
): Camera {
  const [{ scale }, extent] = [camera, EXTENT[axis]];
  const at = (shift: number): Camera => ({ ...camera, [axis]: shift });
  const inside = (shift: number): number => within(shift, world[extent] * scale, stage[extent], before, after);
  const middle = stage[extent] / 2 - (part[axis] + part[extent] / 2) * scale;
  const wish = isSeen(camera, axis, part, stage) ? camera[axis] : inside(middle);
  const whole = (away: number): Camera | null => {
    const shift = wish + away * REACH * stage[extent];
    return away === 0 || (isSeen(at(shift), axis, part, stage) && inside(shift) === shift) ? at(shift) : null;
  };
  return leastCut(world.cards ?? [], stage, whole) ?? camera;
}

/** A shift that keeps a world of this extent within its place, when it is larger than that, with room `before` and `after` it. */
function within(shift: number, extent: number, place: number, before: number, after: number): number {
  const [least, most] = [place - after - extent, before];
  return least < most ? Math.min(most, Math.max(least, shift)) : shift;
}
