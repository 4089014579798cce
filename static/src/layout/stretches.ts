import type { Trace } from "../trace/types";

/** More operations than this are too much to read at once. */
export const READABLE_COUNT = 40;
/** A stretch holds no more operations than this. */
export const MOST = 12;

/** Operations that were recorded one after the other in one place of the program, without any part to name them by. */
export interface Stretch {
  /** The part they lie in, or −1. */
  readonly parent: number;
  readonly nodes: readonly number[];
  /** Lines of the snippet, first and last; 0 where operations have no line. */
  readonly lines: readonly [number, number];
  /** Where a line holds more than one stretch: which of its operations, counted from 1. */
  readonly places: readonly [number, number] | null;
}

/** Cuts what a part holds directly into stretches, at ends of lines, where it is too much to read at once. */
export function cutStretches(trace: Trace, innermost: (scope: number) => number): Stretch[] {
  const counts = new Map<number, number>();
  const recorded = trace.nodes.flatMap((node, id) => (node.leaf === null ? [{ id, part: innermost(node.scope) }] : []));
  for (const { part } of recorded) counts.set(part, (counts.get(part) ?? 0) + 1);
  const stretches: Stretch[] = [];
  for (let start = 0; start < recorded.length; ) {
    const parent = recorded[start]?.part ?? -1;
    let end = start;
    while (recorded[end]?.part === parent) end++;
    const nodes = recorded.slice(start, end).map(({ id }) => id);
    start = end;
    if ((counts.get(parent) ?? 0) > READABLE_COUNT) stretches.push(...cutAtLines(trace, parent, nodes));
  }
  return stretches;
}

/** Lines together while they are short; a line with more operations than a stretch may hold, in equal pieces. */
function cutAtLines(trace: Trace, parent: number, nodes: readonly number[]): Stretch[] {
  const stretches: Stretch[] = [];
  let together: number[] = [];
  const lineOf = (node: number | undefined): number => trace.nodes[node ?? -1]?.span?.line ?? 0;
  const finish = (): void => {
    const lines = together.map(lineOf);
    if (lines.length > 0)
      stretches.push({ parent, nodes: together, lines: [Math.min(...lines), Math.max(...lines)], places: null });
    together = [];
  };
  for (let start = 0; start < nodes.length; ) {
    const line = lineOf(nodes[start]);
    let end = start;
    while (end < nodes.length && lineOf(nodes[end]) === line) end++;
    const onLine = nodes.slice(start, end);
    start = end;
    if (together.length + onLine.length > MOST) finish();
    if (onLine.length <= MOST) {
      together.push(...onLine);
      continue;
    }
    const size = Math.ceil(onLine.length / Math.ceil(onLine.length / MOST));
    for (let at = 0; at < onLine.length; at += size) {
      const piece = onLine.slice(at, at + size);
      stretches.push({ parent, nodes: piece, lines: [line, line], places: [at + 1, at + piece.length] });
    }
  }
  finish();
  return stretches;
}

/** What a stretch, or a run of them, is called. */
export function stretchTitle(first: Stretch, last: Stretch): string {
  const [from, to] = [Math.min(first.lines[0], last.lines[0]), Math.max(first.lines[1], last.lines[1])];
  const lines = from === to ? `line ${from}` : `lines ${from}–${to}`;
  const [begin, end] = [first.places?.[0], last.places?.[1]];
  return from === to && begin !== undefined && end !== undefined ? `${lines}, operations ${begin}–${end}` : lines;
}
