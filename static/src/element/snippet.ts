import type { ReactiveController, ReactiveControllerHost } from "lit";
import { loadChoice, saveChoice } from "../state/choice";
import type { Flag } from "../state/flags";

/** What the editor needs from whoever opens it. */
export interface Desk {
  /** Where the editor is put, once `editing` is drawn. */
  place(): HTMLElement | null;
  root(): ShadowRoot;
  /** What the last run had to say, if it was of the code as it is. */
  flags(): readonly Flag[];
  run(): void;
  left(): void;
}

/** The snippet as the page gave it and as the person has changed it, and the editor while it is open. */
export class Snippet implements ReactiveController {
  code = "";
  original = "";
  editing = false;

  /** Under what the code is kept, or null where it isn't. */
  private key: string | null = null;
  private editor: { destroy(): void } | null = null;

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly desk: Desk,
  ) {
    host.addController(this);
  }

  hostDisconnected(): void {
    this.close();
  }

  get changed(): boolean {
    return this.code !== this.original;
  }

  /** Takes the page's snippet, or the person's own version of it from an earlier visit. */
  start(original: string, key: string | null): void {
    this.original = original;
    this.key = key === null ? null : `code.${key}`;
    this.code = (this.key === null ? null : loadChoice(this.key)) ?? original;
  }

  /** Takes another snippet in place of the page's own, as an example or a link brings it. */
  replace(code: string): void {
    this.close();
    this.original = code;
    this.code = code;
    this.save(code);
    this.host.requestUpdate();
  }

  set(code: string): void {
    this.code = code;
    this.save(code === this.original ? null : code);
    this.host.requestUpdate();
  }

  private save(code: string | null): void {
    if (this.key !== null) saveChoice(this.key, code);
  }

  restore(): void {
    this.close();
    this.set(this.original);
  }

  /** Loads the editor, if this is the first time, and opens it at a line. */
  async edit(line: number | null): Promise<void> {
    if (this.editing) return;
    const { openEditor } = await import("../panels/editor");
    this.editing = true;
    this.host.requestUpdate();
    await this.host.updateComplete;
    const parent = this.desk.place();
    if (!parent) throw new Error("The player drew no place for its editor.");
    this.editor = openEditor({
      parent,
      root: this.desk.root(),
      code: this.code,
      line,
      flags: this.desk.flags(),
      onChange: (code) => this.set(code),
      onRun: () => this.desk.run(),
      onLeave: () => {
        this.close();
        this.desk.left();
      },
    });
  }

  close(): void {
    this.editor?.destroy();
    this.editor = null;
    this.editing = false;
    this.host.requestUpdate();
  }
}
