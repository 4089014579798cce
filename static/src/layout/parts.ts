import type { Scope, Trace } from "../trace/types";
import { cutStretches, type Stretch, stretchTitle } from "./stretches";

/** Kinds of scope that a person sees as a part of the graph: what can be outlined, repeated and folded. */
const SEEN: ReadonlySet<Scope["kind"]> = new Set(["loop_turn", "module", "function"]);

/** No part: the program itself. */
export const ROOT = -1;

/** A loop turn, a module, a function call, or a stretch of a long program that has none of these. */
export interface Part {
  readonly kind: Scope["kind"] | "stretch";
  readonly title: string;
  /** The part around it, or `ROOT`. */
  readonly parent: number;
  /** For a loop turn, the line of its loop: turns of one loop belong together. */
  readonly line: number;
  readonly stretch: Stretch | null;
}

/** The parts of a program. A part's number is that of its scope in the trace; stretches are numbered after the scopes. */
export interface Parts {
  readonly records: readonly Part[];
  /** For every part (and every other scope) the parts around it and itself, outermost first. */
  readonly paths: readonly (readonly number[])[];
  /** For every node and every tensor its scope, or the stretch of that scope in which it was made. */
  readonly ofNode: Int32Array;
  readonly ofTensor: Int32Array;
  /** For every part how many operations were recorded in it, inner parts included. */
  readonly operations: Int32Array;
}

/** Finds the parts of a program. */
export function planParts(trace: Trace): Parts {
  const paths: (readonly number[])[] = [];
  // A scope comes after the one it lies in.
  for (const [scope, { kind, parent }] of trace.scopes.entries()) {
    const around = parent === null ? [] : (paths[parent] ?? []);
    paths.push(SEEN.has(kind) ? [...around, scope] : around);
  }
  const innermost = (scope: number): number => paths[scope]?.at(-1) ?? ROOT;
  const records: Part[] = trace.scopes.map(({ kind, title, parent, span }) => ({
    kind,
    title,
    parent: parent === null ? ROOT : innermost(parent),
    line: kind === "loop_turn" ? (span?.line ?? 0) : 0,
    stretch: null,
  }));
  const ofNode = Int32Array.from(trace.nodes, (node) => node.scope);
  const ofTensor = Int32Array.from(trace.tensors, (tensor) => tensor.scope);
  const within = new Map<number, { first: number; part: number }[]>();
  for (const stretch of cutStretches(trace, innermost)) {
    const { parent, nodes } = stretch;
    const part = records.push({ kind: "stretch", title: stretchTitle(stretch, stretch), parent, line: 0, stretch }) - 1;
    paths.push([...(paths[parent] ?? []), part]);
    for (const node of nodes) ofNode[node] = part;
    const begun = within.get(parent) ?? [];
    begun.push({ first: trace.nodes[nodes[0] ?? 0]?.step ?? 0, part });
    within.set(parent, begun);
  }
  for (const [id, tensor] of trace.tensors.entries()) {
    const made = tensor.grad_fn === null ? undefined : ofNode[tensor.grad_fn];
    const stretches = within.get(innermost(tensor.scope));
    if (made !== undefined) ofTensor[id] = made;
    else if (stretches)
      ofTensor[id] = (stretches.findLast(({ first }) => first <= tensor.step) ?? stretches[0])?.part ?? 0;
  }
  const operations = new Int32Array(records.length);
  for (const [node, { leaf }] of trace.nodes.entries())
    if (leaf === null)
      for (const part of paths[ofNode[node] ?? 0] ?? []) operations[part] = (operations[part] ?? 0) + 1;
  return { records, paths, ofNode, ofTensor, operations };
}

/** The innermost loop turn or stretch around a place, or `ROOT`: leaves are drawn again in each one that uses them. */
export function turnOf({ records, paths }: Parts, place: number): number {
  const repeats = (part: number): boolean => ["loop_turn", "stretch"].includes(records[part]?.kind ?? "");
  return paths[place]?.findLast(repeats) ?? ROOT;
}

/** Whether two parts are of one kind and place, so that one card may stand for both. */
export function alike({ records }: Parts, a: number, b: number): boolean {
  const [one, other] = [records[a], records[b]];
  return one?.kind === other?.kind && one?.parent === other?.parent && one?.line === other?.line;
}

/**
 * What to call parts where they are listed: one that shares its title with another says what it lies in as well, and if
 * that is the same too, it is numbered.
 */
export function distinctTitles({ records, paths }: Parts, parts: readonly number[]): string[] {
  const titleOf = (part: number): string => records[part]?.title ?? "";
  const within = (part: number): string =>
    (paths[part] ?? [])
      .filter((around) => around !== part)
      .map(titleOf)
      .reverse()
      .join(", ");
  const short = parts.map(titleOf);
  const long = parts.map((part) => [titleOf(part), within(part)].filter(Boolean).join(" in "));
  const count = (names: readonly string[], name: string): number => names.filter((each) => each === name).length;
  return parts.map((_, index) => {
    const [name = "", full = ""] = [short[index], long[index]];
    if (count(short, name) === 1) return name;
    return count(long, full) === 1 ? full : `${full} (${count(long.slice(0, index + 1), full)})`;
  });
}

/** One title for a run of parts that are alike. */
export function titleOfRun({ records }: Parts, first: number, last: number): string {
  const [one, other] = [records[first], records[last]];
  if (one?.stretch && other?.stretch) return stretchTitle(one.stretch, other.stretch);
  return runTitle(one?.title ?? "", other?.title ?? "");
}

/** What the titles of the first and the last have in common is said once. */
export function runTitle(first: string, last: string): string {
  if (first === last) return first;
  let start = 0;
  while (start < first.length && first[start] === last[start]) start++;
  while (start > 0 && /\d/.test(first[start - 1] ?? "")) start--;
  const [a, b] = [first.slice(start), last.slice(start)].map((rest) => /^\d+/.exec(rest)?.[0] ?? "");
  if (a && b && first.slice(start + a.length) === last.slice(start + b.length))
    return `${first.slice(0, start).replace(/^turn $/, "turns ")}${a}–${b}${last.slice(start + b.length)}`;
  return `${first} … ${last}`;
}
