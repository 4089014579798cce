import { sizeText } from "../layout/sizes";
import type { Slot } from "../state/frame";
import type { Tensor, Trace, Value } from "../trace/types";

/** Longest run of characters that a chip on the stage holds. */
const CHIP = 11;

export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** Whether a value is one number, or few enough to be read in a chip. */
export const isShort = (value: Value, most = CHIP): boolean => value.shape.length === 0 || value.text.length <= most;

/** A value in a chip: its number, or its shape when it has many. */
export function chipText(value: Value): string {
  return isShort(value) ? cut(value.text, CHIP) : sizeText(value.shape);
}

/** How the three kinds of nothing are read out. */
export function slotWords(slot: Slot): string {
  if (slot.state === "not_yet") return "not computed yet";
  return slot.state === "none" ? "None" : slot.value.text;
}

/** What a tensor is, whatever its values: `leaf · float32 · 20 × 20`. */
export const kindOf = ({ role, dtype, shape }: Tensor): string =>
  [role, dtype, shape.length > 0 ? sizeText(shape, " × ") : "scalar"].join(" · ");

/** The same after its name: `big: leaf · float32 · 20 × 20`. */
export function describeTensor(trace: Trace, id: number): string {
  const tensor = trace.tensors[id];
  return tensor ? `${tensor.label}: ${kindOf(tensor)}` : "";
}
