import type { Command } from "../state/commands";
import type { KeyBinding } from "./keys";

/** What every command does, in words for the sheet that lists them. */
export const DOES: Readonly<Record<Command, string>> = {
  toggle: "Play or pause",
  next: "Step forward",
  back: "Step back",
  "line-next": "To the end of the next line",
  "line-back": "To the end of the previous line",
  "scope-next": "Over the call or loop turn that comes next",
  "backward-next": "To the next backward pass",
  "backward-back": "To the previous backward pass",
  "stop-next": "To the next stop: a marked line, a condition, a breakpoint()",
  "change-next": "To the next change of the chosen tensor",
  "change-back": "To the previous change of the chosen tensor",
  "chapter-next": "To the next phase",
  "chapter-back": "To the previous phase",
  first: "First step",
  last: "Last step",
  faster: "Faster",
  slower: "Slower",
  grain: "Change what one step is: line, operation, message",
  predict: "Predict: be asked before the answer is shown",
  fit: "Fit the graph",
  follow: "Follow the action, or stay where you look",
  present: "Fill the screen, in larger letters",
  closer: "Zoom in",
  farther: "Zoom out",
  left: "Look further left",
  down: "Look further down",
  up: "Look further up",
  right: "Look further right",
  inspect: "Inspect what this step is about",
  find: "Find a tensor or an operation of the run",
  "stop-here": "Stop at this line, or no longer",
  compare: "Keep this run, to compare the next one with it",
  edit: "Edit the code",
  keys: "This sheet",
};

/** Signs of keys that have no letter. */
const SIGNS: Readonly<Record<string, string>> = { " ": "Space", ArrowRight: "→", ArrowLeft: "←", "-": "−" };

/** How a key is written on the sheet. */
export function signOf({ keys: [key = ""], shift }: KeyBinding): string {
  return `${shift ? "Shift " : ""}${SIGNS[key] ?? (key.length === 1 ? key.toUpperCase() : key)}`;
}
