import type { ReactiveController, ReactiveControllerHost } from "lit";
import { bindingFor, type KeyBinding } from "./keys";

/** Who acts on keys. */
export interface Keyed {
  act(action: KeyBinding["action"]): void;
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
    const within = event.composedPath().includes(host);
    if (within && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      host.run();
      return;
    }
    if (!within && (!host.inOwnPage || event.target !== document.body)) return;
    // Outside the player these keys scroll the page.
    if (!within && [" ", "Home", "End"].includes(event.key)) return;
    const binding = bindingFor(event);
    if (!binding && /^[1-9]$/.test(event.key)) host.answer(Number(event.key) - 1);
    if (!binding) return;
    event.preventDefault();
    host.act(binding.action);
  };
}
