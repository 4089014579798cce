import type { ReactiveController, ReactiveControllerHost } from "lit";
import { loadBeyond } from "../drawing/stage";
import type { CardGraph } from "../layout/cards";
import { layOutLater, layOutNow } from "../layout/client";
import { type Scene, wholeGraph } from "../layout/scene";
import { READABLE_COUNT } from "../layout/stretches";
import type { Chosen } from "../state/chosen";
import { bindings } from "../state/frame";
import { buildHistory, type History } from "../state/history";
import type { Span, Trace } from "../trace/types";
import type { Folding } from "./folding";
import { breath, idleOnceDrawn } from "./idle";
import { RARE } from "./rare";

/** The trace as it is laid out, and what of it the person looks at: chosen, pointed at, folded. */
export class Looking implements ReactiveController {
  history: History | null = null;
  scene: Scene | null = null;
  chosen: Chosen | null = null;

  /** Whether the open part and the view move along with the action. */
  follows = true;

  /** The whole graph, and what folds parts of it; null while a small one stands as it is. */
  private graph: CardGraph | null = null;
  private folding: Folding | null = null;
  /** The trace that was asked for last. */
  private newest: Trace | null = null;
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
  async show(trace: Trace, step: number, shown: (history: History) => void): Promise<void> {
    this.newest = trace;
    this.follows = true;
    await breath();
    const graph = wholeGraph(trace);
    const folding = graph.recorded.length > READABLE_COUNT ? await this.startFolding(trace, graph) : null;
    const scene = folding
      ? await folding.sceneAt(step)
      : (layOutNow(trace, graph, this.aspect()) ?? (await layOutLater(trace, graph, this.aspect())));
    await breath();
    const history = buildHistory(trace);
    await breath();
    // Another trace may have come meanwhile.
    if (this.newest !== trace) return;
    this.graph = graph;
    this.folding = folding;
    this.history = history;
    this.scene = scene;
    this.chosen = null;
    this.pointed = null;
    // In the same turn of the event loop, so that the first picture is already that of the right step.
    shown(history);
    this.prepareAround(step);
    this.host.requestUpdate();
  }

  /** Opens the part where a step acts; whether it was another one than stood open. To be called before drawing. */
  follow(step: number): boolean {
    if (!this.folding?.turns(step)) return false;
    this.take(this.folding.sceneAt(step));
    this.prepareAround(step);
    return true;
  }

  /** In the next idle moment. */
  private prepareAround(step: number): void {
    const { folding } = this;
    void idleOnceDrawn(500).then(() => {
      if (this.folding === folding) folding?.prepareAround(step);
    });
  }

  /** Whether the graph is too large to be shown whole. */
  get isLarge(): boolean {
    return this.folding?.isLarge ?? false;
  }

  /** The scene of a step, without going there; null where it takes long to lay out. */
  sceneFor(step: number): Scene | null {
    return this.folding?.sceneFor(step) ?? null;
  }

  private async startFolding(trace: Trace, graph: CardGraph): Promise<Folding> {
    // Most graphs stand as they are. What draws the others should be there with them.
    const [{ Folding }] = await Promise.all([RARE.folding(), loadBeyond()]);
    return new Folding(trace, graph, this.aspect, () => this.follows);
  }

  /** Whether the open part changes with the action, or stays as it is. */
  setFollowing(follows: boolean, step: number): void {
    this.follows = follows;
    this.follow(step);
    this.host.requestUpdate();
  }

  /** Folds or opens a loop turn, a module or a call. */
  async togglePart(scope: number, step: number): Promise<void> {
    const { trace, graph } = this;
    if (!trace || !graph) return;
    const folding = this.folding ?? (await this.startFolding(trace, graph));
    // Another trace may have come meanwhile.
    if (this.graph !== graph || !this.scene) return;
    this.folding = folding;
    folding.toggle(scope, this.scene);
    this.take(folding.sceneAt(step));
    this.host.requestUpdate();
  }

  /** A scene that is there is shown at once, so that a step and its picture never part; a late one when it comes. */
  private take(scene: Scene | Promise<Scene>): void {
    if (!(scene instanceof Promise)) {
      this.scene = scene;
      return;
    }
    const { folding } = this;
    void scene.then((late) => {
      if (this.folding !== folding) return;
      this.scene = late;
      this.host.requestUpdate();
    });
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
    const record = node === null ? null : this.trace?.nodes[node];
    // A leaf's node is made where the leaf is first used, the leaf itself where it is written.
    const made = record?.leaf === null ? record.span : null;
    return made ?? (tensor === null ? null : this.trace?.tensors[tensor]?.span) ?? null;
  }

  private shown(card: number | undefined): number | null {
    return card === undefined || card < 0 ? null : card;
  }
}
