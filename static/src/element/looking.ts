import type { ReactiveController, ReactiveControllerHost } from "lit";
import { requestLayout } from "../layout/client";
import { partsToClose } from "../layout/fold";
import type { Scene } from "../layout/scene";
import { bindings } from "../state/frame";
import { buildHistory, type History } from "../state/history";
import type { Span, Trace } from "../trace/types";

/** What a person has chosen to look at. */
export interface Chosen {
  readonly tensor: number | null;
  readonly node: number | null;
}

/** The trace as it is laid out, and what of it the person looks at: chosen, pointed at, folded. */
export class Looking implements ReactiveController {
  history: History | null = null;
  scene: Scene | null = null;
  chosen: Chosen | null = null;

  /** Folded parts of the graph, by scope. */
  private closed: ReadonlySet<number> = new Set();
  /** The card under the pointer, by way of a name in the code. */
  private pointed: number | null = null;

  constructor(
    private readonly host: ReactiveControllerHost,
    /** Width over height of the place where the graph is shown. */
    private readonly aspect: () => number,
  ) {
    host.addController(this);
  }

  hostConnected(): void {}

  get trace(): Trace | null {
    return this.history?.trace ?? null;
  }

  /** Takes a new trace: lays it out, large graphs folded, and looks at nothing in particular. */
  async show(trace: Trace, shown: () => void): Promise<void> {
    this.closed = partsToClose(trace);
    const scene = await requestLayout(trace, this.aspect(), this.closed);
    this.history = buildHistory(trace);
    this.scene = scene;
    this.chosen = null;
    this.pointed = null;
    // In the same turn of the event loop, so that the first picture is already that of the right step.
    shown();
    this.host.requestUpdate();
  }

  /** Folds or opens a loop turn, a module or a call. */
  async togglePart(scope: number): Promise<void> {
    if (!this.trace) return;
    const closed = new Set(this.closed);
    if (!closed.delete(scope)) closed.add(scope);
    this.closed = closed;
    this.scene = await requestLayout(this.trace, this.aspect(), closed);
    this.host.requestUpdate();
  }

  choose(chosen: Chosen | null): void {
    this.chosen = chosen;
    this.host.requestUpdate();
  }

  /** Lights the tensor that a name in the code means at a step; `model.fc1.weight.grad` means `model.fc1.weight`. */
  pointAt(name: string, step: number): void {
    const meant = this.history ? bindings(this.history, step) : [];
    const fitting = meant.filter((binding) => name === binding.name || name.startsWith(`${binding.name}.`));
    const tensor = fitting.sort((a, b) => b.name.length - a.name.length)[0]?.tensor ?? null;
    this.pointed = tensor === null ? null : this.shown(this.scene?.cardOfTensor[tensor]);
    this.host.requestUpdate();
  }

  /** The card to light. */
  get card(): number | null {
    if (this.pointed !== null) return this.pointed;
    const { tensor = null, node = null } = this.chosen ?? {};
    if (tensor !== null) return this.shown(this.scene?.cardOfTensor[tensor]);
    return node === null ? null : this.shown(this.scene?.cardOfNode[node]);
  }

  /** The columns that made what is chosen. */
  get source(): Span | null {
    const { tensor = null, node = null } = this.chosen ?? {};
    const made = node === null ? null : this.trace?.nodes[node]?.span;
    return made ?? (tensor === null ? null : this.trace?.tensors[tensor]?.span) ?? null;
  }

  private shown(card: number | undefined): number | null {
    return card === undefined || card < 0 ? null : card;
  }
}
