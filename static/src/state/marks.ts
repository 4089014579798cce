import type { Trace } from "../trace/types";

/** A moment worth finding on the scrubber. */
export interface Mark {
  readonly step: number;
  readonly kind: "print" | "warning" | "error" | "bookmark";
  readonly title: string;
}

export function marksOf(trace: Trace): Mark[] {
  return trace.steps.flatMap((step, index): Mark[] => {
    if (step.kind === "printed") return [{ step: index, kind: "print", title: `Output: ${step.output.trim()}` }];
    if (step.kind === "bookmark") return [{ step: index, kind: "bookmark", title: "breakpoint()" }];
    if (step.kind === "warned") return [{ step: index, kind: "warning", title: step.message }];
    if (step.kind === "ended" && step.status !== "ok")
      return [{ step: index, kind: "error", title: trace.outcome.error ?? trace.outcome.message }];
    return step.warning === null ? [] : [{ step: index, kind: "warning", title: step.warning }];
  });
}
