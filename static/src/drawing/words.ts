import type { Slot } from "../state/frame";
import type { Value } from "../trace/types";

/** Longest run of characters that a chip on the stage holds. */
const CHIP = 11;

export function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A value in a chip: its number, or its shape when it has many. */
export function chipText(value: Value): string {
  if (value.shape.length === 0 || value.text.length <= CHIP) return cut(value.text, CHIP);
  return value.shape.join("×");
}

/** How the three kinds of nothing are read out. */
export function slotWords(slot: Slot): string {
  if (slot.state === "not_yet") return "not computed yet";
  return slot.state === "none" ? "None" : slot.value.text;
}
