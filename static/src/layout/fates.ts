import type { Tensor, Trace } from "../trace/types";

/** What will happen to tensors in the course of a run, as far as their cards have to leave room for it. */
export interface Fates {
  /** Written in place: the version that each ends with. */
  readonly written: ReadonlyMap<number, number>;
  /** Given a `.grad`: leaves, and what `retain_grad()` was asked of. */
  readonly retained: ReadonlySet<number>;
  /** What backward is called on. */
  readonly roots: ReadonlySet<number>;
}

export function fatesIn(trace: Trace): Fates {
  const [written, retained, roots] = [new Map<number, number>(), new Set<number>(), new Set<number>()];
  for (const step of trace.steps) {
    switch (step.kind) {
      case "value_written":
        for (const tensor of [step.tensor, ...step.shared_with]) written.set(tensor, step.version_after);
        break;
      case "steps_left_out":
        for (const { tensor, version } of step.standings) if (written.has(tensor)) written.set(tensor, version);
        break;
      case "gradient_stored":
        retained.add(step.tensor);
        break;
      case "backward_started":
        for (const root of step.roots) roots.add(root);
        break;
    }
  }
  return { written, retained, roots };
}

/** The type that numbers have unless somebody asks for another. */
const USUAL_TYPE = "float32";

/** What a tensor is beyond the kind of its card: a parameter, a view, a root of backward, of an unusual type. */
export function remarkOn({ role, base, dtype }: Tensor, isRoot: boolean): string {
  return [
    ...(role === "parameter" || role === "buffer" ? [role] : []),
    ...(base === null ? [] : ["view"]),
    ...(isRoot ? ["root"] : []),
    ...(dtype === USUAL_TYPE ? [] : [dtype]),
  ].join(" ");
}
