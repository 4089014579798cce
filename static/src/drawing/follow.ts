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
 * world than a border, and as few cards in part as can be; not at all while the part is in view.
 */
export function follow(camera: Camera, part: Box, world: World, stage: Size): Camera {
  const margin = marginOf(stage);
  const across = moved(camera, "x", "width", part, world, stage, [margin, margin]);
  return moved(across, "y", "height", part, world, stage, [margin + CALLOUT * camera.scale, margin]);
}

/** Follows along one axis; `room` is left free before and after the world. */
function moved(
  camera: Camera,
  axis: "x" | "y",
  extent: "width" | "height",
  part: Box,
  world: World,
  stage: Size,
  room: readonly [number, number],
): Camera {
  const { scale } = camera;
  const [low, high] = [part[axis] * scale, (part[axis] + part[extent]) * scale];
  const inView = (shift: number): boolean => low + shift >= EDGE && high + shift <= stage[extent] - EDGE;
  if (inView(camera[axis])) return camera;
  const inside = (shift: number): number => within(shift, world[extent] * scale, stage[extent], ...room);
  const wish = inside((stage[extent] - low - high) / 2);
  const whole = (away: number): Camera | null => {
    const shift = wish + away * REACH * stage[extent];
    return away === 0 || (inView(shift) && inside(shift) === shift) ? { ...camera, [axis]: shift } : null;
  };
  return leastCut(world.cards ?? [], stage, whole) ?? camera;
}

/** A shift that keeps a world of this extent within its place, when it is larger than that, with room `before` and `after` it. */
function within(shift: number, extent: number, place: number, before: number, after: number): number {
  const [least, most] = [place - after - extent, before];
  return least < most ? Math.min(most, Math.max(least, shift)) : shift;
}
