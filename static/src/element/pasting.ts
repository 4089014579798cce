import type { ReactiveController, ReactiveControllerHost } from "lit";

/** Who takes code that is pasted. */
export interface Pasted {
  readonly canRun: boolean;
  readonly inOwnPage: boolean;
  /** Runs code in the snippet's place. */
  tryChange(code: string): Promise<void>;
}

/** Code that is pasted anywhere on the page, except where something is typed, is run at once. */
export class Pasting implements ReactiveController {
  constructor(private readonly host: ReactiveControllerHost & Pasted) {
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener("paste", this.onPaste);
  }

  hostDisconnected(): void {
    document.removeEventListener("paste", this.onPaste);
  }

  private readonly onPaste = (event: ClipboardEvent): void => {
    const { host } = this;
    const target = event.composedPath()[0];
    const typed = target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea"));
    const code = event.clipboardData?.getData("text/plain") ?? "";
    if (typed || !host.inOwnPage || !host.canRun || !/^\s*(import|from)\s/m.test(code)) return;
    event.preventDefault();
    void host.tryChange(code);
  };
}
