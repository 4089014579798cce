import { type Arrangement, type Point, SPACING } from "./model";

export interface Packing {
  readonly shifts: readonly Point[];
  readonly width: number;
  readonly height: number;
}

/** Sets separate drawings side by side in the order in which they were made, like words in lines. */
export function packComponents(parts: readonly Arrangement[], aspect: number): Packing {
  const area = parts.reduce((sum, part) => sum + (part.width + SPACING.row) * (part.height + SPACING.row), 0);
  const widest = Math.max(0, ...parts.map((part) => part.width));
  const lineWidth = Math.max(widest, Math.sqrt(area * aspect));
  const shifts: Point[] = [];
  let [x, y, lineHeight, width] = [0, 0, 0, 0];
  for (const part of parts) {
    if (x > 0 && x + part.width > lineWidth) {
      y += lineHeight + SPACING.row;
      [x, lineHeight] = [0, 0];
    }
    shifts.push({ x, y });
    width = Math.max(width, x + part.width);
    x += part.width + SPACING.row;
    lineHeight = Math.max(lineHeight, part.height);
  }
  return { shifts, width, height: y + lineHeight };
}
