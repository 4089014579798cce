import type { CardGraph } from "../layout/cards";
import { layOutLater, layOutNow } from "../layout/client";
import { foldParts } from "../layout/fold";
import { type Overview, partsClosed, planOverview } from "../layout/overview";
import type { Scene } from "../layout/scene";
import type { Trace } from "../trace/types";

/** Scenes that are kept, so that going back and forth lays nothing out anew. */
const MOST_KEPT = 24;
/** No chapter is open: before the first one, or in a graph that is shown whole. */
const NONE = -1;

/** Which parts of a graph are folded at a step, and the scenes that this gives. */
export class Folding {
  private readonly overview: Overview | null;
  /** By the chapter that is open. */
  private readonly scenes = new Map<number, Scene>();
  /** What a person opened (true) or closed (false), and what they took out of a run. */
  private readonly pinned = new Map<number, boolean>();
  private readonly apart = new Set<number>();
  private chapter = NONE;

  constructor(
    private readonly trace: Trace,
    private readonly graph: CardGraph,
    private readonly aspect: () => number,
    /** Whether the part that opens is the one where the action is. */
    private readonly follows: () => boolean,
  ) {
    this.overview = planOverview(trace, graph);
  }

  /** Whether another part opens at this step than is open now. */
  turns(step: number): boolean {
    return this.follows() && this.overview !== null && this.overview.open[step] !== this.chapter;
  }

  /** The scene for a step; a promise where it takes long to lay out. */
  sceneAt(step: number): Scene | Promise<Scene> {
    if (this.overview && this.follows()) this.chapter = this.overview.open[step] ?? NONE;
    return this.sceneOf(this.chapter);
  }

  /** Whether the graph is too large to be shown whole. */
  get isLarge(): boolean {
    return this.overview !== null;
  }

  /** The scene for a step, without opening it; null where it takes long to lay out. */
  sceneFor(step: number): Scene | null {
    return this.sceneNow(this.overview?.open[step] ?? NONE);
  }

  /** Lays out what stands open before and after the chapter of a step, so that going on takes no longer than a step. */
  prepareAround(step: number): void {
    const { overview } = this;
    if (!overview || !this.follows()) return;
    const differs = (chapter: number): boolean => chapter !== this.chapter;
    for (const next of [overview.open.subarray(step).find(differs), overview.open.subarray(0, step).findLast(differs)])
      if (next !== undefined) void this.sceneOf(next);
  }

  private sceneOf(opened: number): Scene | Promise<Scene> {
    return (
      this.sceneNow(opened) ??
      layOutLater(this.trace, this.graphWhile(opened), this.aspect()).then((scene) => this.keep(opened, scene))
    );
  }

  /** Null where it takes long to lay out. */
  private sceneNow(opened: number): Scene | null {
    const known = this.scenes.get(opened);
    if (known) return known;
    const scene = layOutNow(this.trace, this.graphWhile(opened), this.aspect());
    return scene && this.keep(opened, scene);
  }

  /** The graph while a chapter is open. */
  private graphWhile(opened: number): CardGraph {
    const chapter = this.overview?.chapters[opened];
    const closed = partsClosed(this.graph.parts, chapter, this.pinned, this.overview !== null);
    return foldParts(this.graph, closed, this.apart);
  }

  private keep(opened: number, scene: Scene): Scene {
    if (this.scenes.size >= MOST_KEPT) this.scenes.delete(this.scenes.keys().next().value ?? NONE);
    this.scenes.set(opened, scene);
    return scene;
  }

  /** Opens a folded part, takes a run of them apart, or folds an open part. */
  toggle(scope: number, scene: Scene): void {
    const group = scene.cards.find((card) => card.kind === "group" && card.scope === scope);
    if (group && group.parts.length > 1) for (const part of group.parts) this.apart.add(part);
    else this.pinned.set(scope, group !== undefined);
    this.scenes.clear();
  }
}
