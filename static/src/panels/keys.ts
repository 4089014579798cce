import type { Command } from "../state/commands";

/** What a key does. The sheet that lists keys and the code that handles them both read this table. */
export interface KeyBinding {
  readonly keys: readonly string[];
  readonly shown: string;
  readonly does: string;
  readonly action: Command;
  readonly shift?: boolean;
}

export const KEYS: readonly KeyBinding[] = [
  { keys: [" "], shown: "Space", does: "Play or pause", action: "toggle" },
  { keys: ["ArrowRight"], shown: "→", does: "Step forward", action: "next", shift: false },
  { keys: ["ArrowLeft"], shown: "←", does: "Step back", action: "back", shift: false },
  { keys: ["ArrowRight"], shown: "Shift →", does: "To the end of the next line", action: "line-next", shift: true },
  { keys: ["ArrowLeft"], shown: "Shift ←", does: "To the end of the line before", action: "line-back", shift: true },
  { keys: ["n"], shown: "N", does: "Over the call or loop turn that comes next", action: "scope-next" },
  { keys: ["b"], shown: "B", does: "To the next backward pass", action: "backward-next", shift: false },
  { keys: ["B"], shown: "Shift B", does: "To the backward pass before", action: "backward-back", shift: true },
  {
    keys: ["c"],
    shown: "C",
    does: "To the next stop: a marked line, a condition, a breakpoint()",
    action: "stop-next",
  },
  { keys: ["."], shown: ".", does: "To the next change of the chosen tensor", action: "change-next" },
  { keys: [","], shown: ",", does: "To its change before", action: "change-back" },
  { keys: ["]"], shown: "]", does: "To the next phase", action: "chapter-next" },
  { keys: ["["], shown: "[", does: "To the phase before", action: "chapter-back" },
  { keys: ["Home"], shown: "Home", does: "First step", action: "first" },
  { keys: ["End"], shown: "End", does: "Last step", action: "last" },
  { keys: ["+", "="], shown: "+", does: "Faster", action: "faster" },
  { keys: ["-"], shown: "−", does: "Slower", action: "slower" },
  { keys: ["g"], shown: "G", does: "Change what one step is: line, operation, message", action: "grain" },
  { keys: ["p"], shown: "P", does: "Predict: be asked before the answer is shown", action: "predict" },
  { keys: ["f"], shown: "F", does: "Fit the graph", action: "fit" },
  { keys: ["a"], shown: "A", does: "Follow the action, or stay where you look", action: "follow" },
  { keys: ["i"], shown: "I", does: "Zoom in", action: "closer" },
  { keys: ["o"], shown: "O", does: "Zoom out", action: "farther" },
  { keys: ["h"], shown: "H", does: "Look further left", action: "left" },
  { keys: ["j"], shown: "J", does: "Look further down", action: "down" },
  { keys: ["u"], shown: "U", does: "Look further up", action: "up" },
  { keys: ["l"], shown: "L", does: "Look further right", action: "right" },
  { keys: ["w"], shown: "W", does: "Inspect what this step is about", action: "inspect" },
  { keys: ["s"], shown: "S", does: "Stop at this line, or no longer", action: "stop-here" },
  { keys: ["k"], shown: "K", does: "Keep this run, to compare the next one with it", action: "compare" },
  { keys: ["e"], shown: "E", does: "Edit the code", action: "edit" },
  { keys: ["?"], shown: "?", does: "This sheet", action: "keys" },
];
