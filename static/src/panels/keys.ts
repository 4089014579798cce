import type { Command } from "../state/commands";

/** The keys of a command. The sheet that lists keys and the code that handles them both read this table. */
export interface KeyBinding {
  readonly keys: readonly string[];
  readonly action: Command;
  readonly shift?: boolean;
}

export const KEYS: readonly KeyBinding[] = [
  { keys: [" "], action: "toggle" },
  { keys: ["ArrowRight"], action: "next", shift: false },
  { keys: ["ArrowLeft"], action: "back", shift: false },
  { keys: ["ArrowRight"], action: "line-next", shift: true },
  { keys: ["ArrowLeft"], action: "line-back", shift: true },
  { keys: ["n"], action: "scope-next" },
  { keys: ["b"], action: "backward-next", shift: false },
  { keys: ["B"], action: "backward-back", shift: true },
  {
    keys: ["c"],
    action: "stop-next",
  },
  { keys: ["."], action: "change-next" },
  { keys: [","], action: "change-back" },
  { keys: ["]"], action: "chapter-next" },
  { keys: ["["], action: "chapter-back" },
  { keys: ["Home"], action: "first" },
  { keys: ["End"], action: "last" },
  { keys: ["+", "="], action: "faster" },
  { keys: ["-"], action: "slower" },
  { keys: ["g"], action: "grain" },
  { keys: ["p"], action: "predict" },
  { keys: ["f"], action: "fit" },
  { keys: ["a"], action: "follow" },
  { keys: ["m"], action: "present" },
  { keys: ["i"], action: "closer" },
  { keys: ["o"], action: "farther" },
  { keys: ["h"], action: "left" },
  { keys: ["j"], action: "down" },
  { keys: ["u"], action: "up" },
  { keys: ["l"], action: "right" },
  { keys: ["w"], action: "inspect" },
  { keys: ["/"], action: "find" },
  { keys: ["s"], action: "stop-here" },
  { keys: ["k"], action: "compare" },
  { keys: ["e"], action: "edit" },
  { keys: ["?"], action: "keys" },
];
