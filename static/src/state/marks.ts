import type { Trace } from "../trace/types";

/** A moment worth finding on the scrubber. */
export interface Mark {
  readonly step: number;
  readonly kind: "print" | "warning" | "error" | "bookmark" | "turn";
  readonly title: string;
}

/** More turns than this would be a solid line. */
const MOST_TURNS = 120;

export function marksOf(trace: Trace): Mark[] {
  return [...turnsOf(trace), ...happenings(trace)];
}

/** Where each turn of a loop begins. */
function turnsOf(trace: Trace): Mark[] {
  const seen = new Set<number>();
  const turns = trace.steps.flatMap(({ scope }, step): Mark[] => {
    const record = trace.scopes[scope];
    if (record?.kind !== "loop_turn" || seen.has(scope)) return [];
    seen.add(scope);
    return [{ step, kind: "turn", title: record.title }];
  });
  return turns.length <= MOST_TURNS ? turns : [];
}

function happenings(trace: Trace): Mark[] {
  return trace.steps.flatMap((step, index): Mark[] => {
    if (step.kind === "printed") return [{ step: index, kind: "print", title: `Output: ${step.output.trim()}` }];
    if (step.kind === "bookmark") return [{ step: index, kind: "bookmark", title: "breakpoint()" }];
    if (step.kind === "warned") return [{ step: index, kind: "warning", title: step.message }];
    if (step.kind === "ended" && step.status !== "ok")
      return [{ step: index, kind: "error", title: trace.outcome.error ?? trace.outcome.message }];
    return step.warning === null ? [] : [{ step: index, kind: "warning", title: step.warning }];
  });
}
