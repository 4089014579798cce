import type { ReactiveController, ReactiveControllerHost } from "lit";
import { KEYS, type KeyBinding } from "../panels/keys";
import type { Command } from "../state/commands";

/** Who acts on keys. */
export interface Keyed {
  act(action: Command): void;
  run(): void;
  /** Takes a choice of the question that is asked, by its number from 0; does nothing when none is. */
  answer(choice: number): void;
  /** Whether keys are meant for the player when nothing in the page has the focus. */
  readonly inOwnPage: boolean;
}

/** Listens to the keys that are meant for the player. */
export class Keyboard implements ReactiveController {
  constructor(private readonly host: ReactiveControllerHost & HTMLElement & Keyed) {
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener("keydown", this.onKey);
  }

  hostDisconnected(): void {
    document.removeEventListener("keydown", this.onKey);
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    const { host } = this;
    if (event.defaultPrevented) return;
    const path = event.composedPath();
    const within = path.includes(host);
    if (!within && (!host.inOwnPage || event.target !== document.body)) return;
    const inDialog = path.slice(0, path.indexOf(host)).some((each) => each instanceof HTMLDialogElement);
    if (within && !inDialog && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      host.run();
      return;
    }
    // Outside the player these keys scroll the page.
    if (!within && [" ", "Home", "End"].includes(event.key)) return;
    const binding = bindingFor(event);
    // What lies behind a dialog stays as it is; their own key closes the sheet of keys.
    if (inDialog && binding?.action !== "keys") return;
    if (!binding && /^[1-9]$/.test(event.key)) host.answer(Number(event.key) - 1);
    if (!binding) return;
    event.preventDefault();
    host.act(binding.action);
  };
}

/** The binding for a key press, unless it belongs to a field that is being typed in or a control with its own keys. */
function bindingFor(event: KeyboardEvent): KeyBinding | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return undefined;
  const target = event.composedPath()[0];
  if (target instanceof HTMLElement) {
    if (target.isContentEditable || target.matches("textarea, select, input:not([type=range])")) return undefined;
    if (target.matches("button, a, summary") && (event.key === " " || event.key === "Enter")) return undefined;
    if (target.matches("input[type=range]") && !event.shiftKey && /^(Arrow|Home|End)/.test(event.key)) return undefined;
  }
  return KEYS.find(
    (binding) => binding.keys.includes(event.key) && (binding.shift === undefined || binding.shift === event.shiftKey),
  );
}
