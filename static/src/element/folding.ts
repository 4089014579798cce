import type { CardGraph } from "../layout/cards";
import { layOutLater, layOutNow } from "../layout/client";
import { foldParts } from "../layout/fold";
import { type Overview, partsClosed, planOverview } from "../layout/overview";
import { type Scene, wholeGraph } from "../layout/scene";
import type { Trace } from "../trace/types";

/** Scenes that are kept, so that going back and forth lays nothing out anew. */
const MOST_KEPT = 24;

/** Which parts of a graph are folded at a step, and the scenes that this gives. */
export class Folding {
  /** Whether the part that opens is the one where the action is. */
  follows = true;

  private readonly graph: CardGraph;
  private readonly overview: Overview | null;
  private readonly scenes = new Map<string, Scene>();
  /** What a person opened (true) or closed (false), and what they took out of a run. */
  private readonly pinned = new Map<number, boolean>();
  private readonly apart = new Set<number>();
  private chapter = -1;

  constructor(
    private readonly trace: Trace,
    private readonly aspect: () => number,
  ) {
    this.graph = wholeGraph(trace);
    this.overview = planOverview(trace);
  }

  /** Whether another part opens at this step than is open now. */
  turns(step: number): boolean {
    return this.follows && this.overview !== null && this.overview.open[step] !== this.chapter;
  }

  /** The scene for a step; a promise where it takes long to lay out. */
  sceneAt(step: number): Scene | Promise<Scene> {
    if (this.overview && this.follows) this.chapter = this.overview.open[step] ?? -1;
    const key = String(this.chapter);
    const known = this.scenes.get(key);
    if (known) return known;
    const chapter = this.overview?.chapters[this.chapter];
    const closed = partsClosed(this.trace, chapter, this.pinned, this.overview !== null);
    const graph = foldParts(this.trace, this.graph, closed, this.apart);
    const keep = (scene: Scene): Scene => {
      if (this.scenes.size >= MOST_KEPT) this.scenes.delete(this.scenes.keys().next().value ?? "");
      this.scenes.set(key, scene);
      return scene;
    };
    const now = layOutNow(this.trace, graph, this.aspect());
    return now ? keep(now) : layOutLater(this.trace, graph, this.aspect()).then(keep);
  }

  /** Opens a folded part, takes a run of them apart, or folds an open part. */
  toggle(scope: number, scene: Scene): void {
    const group = scene.cards.find((card) => card.kind === "group" && card.scope === scope);
    if (group && group.parts.length > 1) for (const part of group.parts) this.apart.add(part);
    else this.pinned.set(scope, group !== undefined);
    this.scenes.clear();
  }
}
