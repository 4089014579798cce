import type { Point } from "../layout/model";
import type { Camera, Size } from "./camera";

/** How far outside the stage things are still drawn, in pixels, so that panning shows no empty border. */
const MARGIN = 160;

/** A part of the world that is in view. */
export interface View {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What a camera sees, and a border around it unless the view has only just `leapt` there: then nothing more is needed yet. */
export function viewOf(camera: Camera, stage: Size, leapt: boolean): View {
  const margin = leapt ? 0 : MARGIN;
  return {
    left: (-margin - camera.x) / camera.scale,
    top: (-margin - camera.y) / camera.scale,
    right: (stage.width + margin - camera.x) / camera.scale,
    bottom: (stage.height + margin - camera.y) / camera.scale,
  };
}

export function shows(view: View, box: { x: number; y: number; width: number; height: number }): boolean {
  return box.x < view.right && box.x + box.width > view.left && box.y < view.bottom && box.y + box.height > view.top;
}

/** The smallest box around a route. */
export function bounds(route: readonly Point[]): { x: number; y: number; width: number; height: number } {
  const xs = route.map((point) => point.x);
  const ys = route.map((point) => point.y);
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
