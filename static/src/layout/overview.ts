import type { Step, Trace } from "../trace/types";
import type { CardGraph } from "./cards";
import { type Parts, ROOT } from "./parts";
import { READABLE_COUNT } from "./stretches";

/** Neighbouring parts open together while they hold no more operations than this. */
const COMFORTABLE = 10;

/**
 * How a large graph is shown: a part of readable size stands open, the one where the action is, and everything else is
 * folded. Pure in the trace: the same step always opens the same part.
 */
export interface Overview {
  /** For every step the number of the chapter that is open, or −1 before the first. */
  readonly open: Int32Array;
  readonly chapters: readonly OpenChapter[];
}

/** Parts that open together, with those that they lie in. */
export interface OpenChapter {
  readonly parts: readonly number[];
  readonly around: ReadonlySet<number>;
}

/** Null for a graph that can be read as a whole, or that has no parts. */
export function planOverview(trace: Trace, graph: CardGraph): Overview | null {
  const { parts } = graph;
  const tree = treeOfParts(trace, parts);
  if ((tree.sizes.get(ROOT) ?? 0) <= READABLE_COUNT || tree.children.size === 0) return null;
  const chapters: OpenChapter[] = [];
  const chapterOf = new Map<number, number>();
  collectChapters(tree, ROOT, new Set(), chapters, chapterOf);
  const chapterAround = parts.paths.map((path) => chapterOf.get(path.find((part) => chapterOf.has(part)) ?? ROOT));
  const open = new Int32Array(trace.steps.length);
  let current = -1;
  for (const [index, step] of trace.steps.entries()) {
    current = chapterAround[placeOfAction(trace, graph, step)] ?? current;
    open[index] = current;
  }
  return { open, chapters };
}

/**
 * Every part that is folded while a chapter is open: in a large graph all outside it. None of those that a person
 * opened, and all that they closed.
 */
export function partsClosed(
  { paths }: Parts,
  chapter: OpenChapter | undefined,
  pinned: ReadonlyMap<number, boolean>,
  isLarge: boolean,
): Set<number> {
  const closed = new Set<number>();
  const open = new Set(chapter?.parts);
  for (const [part, path] of paths.entries()) {
    if (path.at(-1) !== part) continue;
    const shown = !isLarge || chapter?.around.has(part) || path.some((each) => open.has(each));
    if (!(pinned.get(part) ?? shown)) closed.add(part);
  }
  return closed;
}

interface PartTree {
  readonly children: ReadonlyMap<number, readonly number[]>;
  /** Recorded operations in each part, inner parts included. */
  readonly sizes: ReadonlyMap<number, number>;
}

function treeOfParts(trace: Trace, parts: Parts): PartTree {
  const children = new Map<number, number[]>();
  const sizes = new Map<number, number>();
  for (const [id, node] of trace.nodes.entries()) {
    if (node.leaf !== null) continue;
    let parent = ROOT;
    sizes.set(ROOT, (sizes.get(ROOT) ?? 0) + 1);
    for (const part of parts.paths[parts.ofNode[id] ?? 0] ?? []) {
      if (!sizes.has(part)) {
        const siblings = children.get(parent) ?? [];
        siblings.push(part);
        children.set(parent, siblings);
      }
      sizes.set(part, (sizes.get(part) ?? 0) + 1);
      parent = part;
    }
  }
  return { children, sizes };
}

/** Goes down to parts of readable size and puts neighbours together. */
function collectChapters(
  tree: PartTree,
  part: number,
  around: ReadonlySet<number>,
  chapters: OpenChapter[],
  chapterOf: Map<number, number>,
): void {
  let together: number[] = [];
  let held = 0;
  const finish = (): void => {
    if (together.length === 0) return;
    for (const each of together) chapterOf.set(each, chapters.length);
    chapters.push({ parts: together, around });
    [together, held] = [[], 0];
  };
  for (const child of tree.children.get(part) ?? []) {
    const size = tree.sizes.get(child) ?? 0;
    if (held > 0 && held + size > COMFORTABLE) finish();
    if (size > READABLE_COUNT && tree.children.has(child)) {
      finish();
      collectChapters(tree, child, new Set([...around, child]), chapters, chapterOf);
    } else {
      together.push(child);
      held += size;
    }
  }
  finish();
}

/**
 * The scope or stretch where a step acts: in backward that is where the node was recorded, and not where `backward()`
 * was called; a tensor that no operation made is where its card stands.
 */
function placeOfAction(trace: Trace, { cards, cardOfTensor, parts }: CardGraph, step: Step): number {
  const node = "node" in step ? step.node : null;
  if (node !== null && trace.nodes[node]?.leaf === null) return parts.ofNode[node] ?? step.scope;
  if (step.kind === "tensor_made") return cards[cardOfTensor[step.tensor] ?? -1]?.scope ?? step.scope;
  return step.scope;
}
