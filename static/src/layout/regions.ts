import type { Scope, Trace } from "../trace/types";

/** Kinds of scope that a person sees as a part of the graph: what can be outlined, repeated and folded. */
const PARTS: ReadonlySet<Scope["kind"]> = new Set(["loop_turn", "module", "function"]);

/** The enclosing parts of a scope, outermost first. */
export function partsOf(trace: Trace, scope: number): number[] {
  const parts: number[] = [];
  for (let at: number | null = scope; at !== null; ) {
    const record: Scope | undefined = trace.scopes[at];
    if (record && PARTS.has(record.kind)) parts.unshift(at);
    at = record?.parent ?? null;
  }
  return parts;
}

/** The innermost loop turn around a scope, or 0 for none: leaves are drawn again in each turn that uses them. */
export function turnOf(trace: Trace, scope: number): number {
  return partsOf(trace, scope).findLast((part) => trace.scopes[part]?.kind === "loop_turn") ?? 0;
}
