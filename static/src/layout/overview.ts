import type { Scope, Step, Trace } from "../trace/types";
import { partsOf } from "./regions";

/** Graphs with more operations than this begin as an overview: more is too much to read at once. */
const READABLE_COUNT = 40;
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
export function planOverview(trace: Trace): Overview | null {
  const tree = treeOfParts(trace);
  if ((tree.sizes.get(ROOT) ?? 0) <= READABLE_COUNT || tree.children.size === 0) return null;
  const chapters: OpenChapter[] = [];
  const chapterOf = new Map<number, number>();
  collectChapters(tree, ROOT, new Set(), chapters, chapterOf);
  const open = new Int32Array(trace.steps.length);
  let current = -1;
  const known = new Map<number, number | undefined>();
  for (const [index, step] of trace.steps.entries()) {
    const scope = scopeOfAction(trace, step);
    if (!known.has(scope)) known.set(scope, chapterAround(trace, scope, chapterOf));
    current = known.get(scope) ?? current;
    open[index] = current;
  }
  return { open, chapters };
}

/**
 * Every part that is folded while a chapter is open: in a large graph all outside it. None of those that a person
 * opened, and all that they closed.
 */
export function partsClosed(
  trace: Trace,
  chapter: OpenChapter | undefined,
  pinned: ReadonlyMap<number, boolean>,
  isLarge: boolean,
): Set<number> {
  const closed = new Set<number>();
  const open = new Set(chapter?.parts);
  for (const [scope, record] of trace.scopes.entries()) {
    if (record.kind === "program") continue;
    const path = partsOf(trace, scope);
    if (path.at(-1) !== scope) continue;
    const shown = !isLarge || chapter?.around.has(scope) || path.some((part) => open.has(part));
    if (!(pinned.get(scope) ?? shown)) closed.add(scope);
  }
  return closed;
}

const ROOT = -1;

interface PartTree {
  readonly children: ReadonlyMap<number, readonly number[]>;
  /** Recorded operations in each part, inner parts included. */
  readonly sizes: ReadonlyMap<number, number>;
}

function treeOfParts(trace: Trace): PartTree {
  const children = new Map<number, number[]>();
  const sizes = new Map<number, number>();
  for (const node of trace.nodes) {
    if (node.leaf !== null) continue;
    const path = [ROOT, ...partsOf(trace, node.scope)];
    for (const [depth, part] of path.entries()) {
      if (!sizes.has(part) && depth > 0) {
        const parent = path[depth - 1] ?? ROOT;
        children.set(parent, [...(children.get(parent) ?? []), part]);
      }
      sizes.set(part, (sizes.get(part) ?? 0) + 1);
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

function chapterAround(trace: Trace, scope: number, chapterOf: ReadonlyMap<number, number>): number | undefined {
  const part = partsOf(trace, scope).find((each) => chapterOf.has(each));
  return part === undefined ? undefined : chapterOf.get(part);
}

/** Where a step acts: in backward that is where the node was recorded, and not where `backward()` was called. */
function scopeOfAction(trace: Trace, step: Step): number {
  const node = "node" in step && step.node !== null ? trace.nodes[step.node] : undefined;
  return node && node.leaf === null ? node.scope : step.scope;
}

/**
 * Folded neighbours that are shown as one card: for each of them the first of its run.
 *
 * Only what was recorded without anything else in between, so that no path leaves a run and comes back to it.
 */
export function runsOf(trace: Trace, closed: ReadonlySet<number>, apart: ReadonlySet<number>): Map<number, number> {
  const runs = new Map<number, number>();
  let [first, last] = [-1, -1];
  for (const node of trace.nodes) {
    if (node.leaf !== null) continue;
    const part = partsOf(trace, node.scope).find((each) => closed.has(each)) ?? -1;
    if (part === last && part >= 0) continue;
    const joins = first >= 0 && part >= 0 && !apart.has(part) && !apart.has(last) && alike(trace, last, part);
    if (!joins) first = part;
    if (part >= 0 && !runs.has(part)) runs.set(part, first);
    last = part;
  }
  return runs;
}

function alike(trace: Trace, a: number, b: number): boolean {
  const [one, other]: (Scope | undefined)[] = [trace.scopes[a], trace.scopes[b]];
  if (!one || !other || one.kind !== other.kind || one.parent !== other.parent) return false;
  return one.kind !== "loop_turn" || one.span?.line === other.span?.line;
}

/** One title for a run: what the first and the last have in common is said once. */
export function runTitle(first: string, last: string): string {
  if (first === last) return first;
  let start = 0;
  while (start < first.length && first[start] === last[start]) start++;
  while (start > 0 && /\d/.test(first[start - 1] ?? "")) start--;
  const [a, b] = [first.slice(start), last.slice(start)].map((rest) => /^\d+/.exec(rest)?.[0] ?? "");
  if (a && b && first.slice(start + a.length) === last.slice(start + b.length))
    return `${first.slice(0, start)}${a}–${b}${last.slice(start + b.length)}`;
  return `${first} … ${last}`;
}
