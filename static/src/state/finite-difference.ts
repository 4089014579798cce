import type { Trace, Value } from "../trace/types";
import { tensorGradient } from "./frame";
import type { History } from "./history";

/**
 * A gradient checked against what it claims: the snippet is run again with one element a little larger, and a little
 * smaller, and the roots of its backward passes are compared (central differences).
 */
export interface Plan {
  readonly tensor: number;
  readonly probes: readonly Probe[];
  /** Backward passes whose gradients have been added up. */
  readonly calls: ReadonlySet<number>;
}

/** One element, and the two programs that move it. */
export interface Probe {
  readonly element: string;
  readonly gradient: number;
  readonly width: number;
  readonly codes: readonly [string, string];
}

export interface Finding {
  readonly element: string;
  readonly gradient: number;
  readonly estimate: number;
  readonly agrees: boolean;
}

/** Elements that are probed; two runs each. */
const MOST_PROBES = 3;
/** How far an element is moved, as a share of its size; float32 loses too many digits below. */
const SHARE = 1e-3;
/** What float32 allows for. */
const TOLERANCE = 0.02;

/** What to run, or in words why it can't be checked this way. */
export function planCheck(history: History, tensor: number, step: number): Plan | string {
  const { trace } = history;
  const record = trace.tensors[tensor];
  const gradient = tensorGradient(history, tensor, step);
  if (!record || gradient.state !== "value") return "There is no .grad to check at this step.";
  const value = record.value?.data;
  if (!value || !gradient.value.data) return "Only tensors that are shown element by element can be checked.";
  if (history.values.changes(tensor).filter((each) => each <= step).length > 1)
    return "Its value has changed since it was made. Check at a step before the first change.";
  const calls = callsBehind(history, tensor, step);
  if (calls === null) return "The snippet set this .grad itself: it need not be the slope of a loss.";
  const line = firstLineAfter(trace, record.step);
  if (line === null) return "It is made inside a loop or at the end of the program, where nothing can be put after it.";
  const probes = largest(gradient.value.data.map(Number)).map((index): Probe => {
    const width = SHARE * Math.max(1, Math.abs(Number(value[index])));
    const element = `${record.label}${subscript(index, record.shape)}`;
    const moved = (by: number): string => withLine(trace.code, line, `${element} += ${by}`);
    return { element, gradient: Number(gradient.value.data?.[index]), width, codes: [moved(width), moved(-width)] };
  });
  return { tensor, probes, calls };
}

/** What the two runs of a probe say, or null when they did not come as far. */
export function judge(plan: Plan, probe: Probe, [plus, minus]: readonly [Trace, Trace]): Finding | null {
  const [above, below] = [objective(plus, plan.calls), objective(minus, plan.calls)];
  if (above === null || below === null) return null;
  const estimate = (above - below) / (2 * probe.width);
  const scale = Math.max(1e-3, Math.abs(estimate), Math.abs(probe.gradient));
  const { element, gradient } = probe;
  return { element, gradient, estimate, agrees: Math.abs(estimate - gradient) <= TOLERANCE * scale };
}

/** Passes that have added to a gradient since it was last cleared; null when the snippet set it in between. */
function callsBehind(history: History, tensor: number, step: number): Set<number> | null {
  const calls = new Set<number>();
  let given = false;
  for (const change of history.gradients.changes(tensor)) {
    if (change > step) break;
    const event = history.trace.steps[change];
    if (event?.kind === "gradients_zeroed") calls.clear();
    if (event?.kind === "gradient_stored") calls.add(event.call);
    if (event?.kind === "gradient_set" || event?.kind === "value_written" || event?.kind === "steps_left_out")
      given = true;
    if (event?.kind === "gradients_zeroed") given = false;
  }
  return given ? null : calls;
}

/** The sum of all roots of some passes, each weighed by its seed: what their gradients are the slopes of. */
function objective(trace: Trace, calls: ReadonlySet<number>): number | null {
  let sum = 0;
  let met = 0;
  for (const step of trace.steps) {
    if (step.kind !== "backward_started" || !calls.has(step.call)) continue;
    met++;
    for (const [index, root] of step.roots.entries()) {
      const weighed = dot(trace.tensors[root]?.value ?? null, step.seeds[index] ?? null);
      if (weighed === null) return null;
      sum += weighed;
    }
  }
  return met === calls.size ? sum : null;
}

function dot(value: Value | null, seed: Value | null): number | null {
  if (!value?.data || !seed?.data) return null;
  return value.data.reduce<number>((sum, each, index) => sum + Number(each) * Number(seed.data?.[index]), 0);
}

/** The first line outside all blocks that is reached after a step: there the tensor exists and nothing has used it. */
function firstLineAfter(trace: Trace, step: number): number | null {
  const lines = trace.code.split("\n");
  const reached = trace.steps
    .slice(step)
    .find((event) => event.kind === "line" && event.span && /^\S/.test(lines[event.span.line - 1] ?? ""));
  const made = trace.tensors.find((tensor) => tensor.step === step);
  const inLoop = made && trace.scopes[made.scope]?.kind === "loop_turn";
  return inLoop ? null : (reached?.span?.line ?? null);
}

function withLine(code: string, line: number, statement: string): string {
  const lines = code.split("\n");
  lines.splice(line - 1, 0, "import torch as backplay_torch", `with backplay_torch.no_grad(): ${statement}`);
  return lines.join("\n");
}

function largest(values: readonly number[]): number[] {
  return [...values.keys()].sort((a, b) => Math.abs(values[b] ?? 0) - Math.abs(values[a] ?? 0)).slice(0, MOST_PROBES);
}

/** `[1, 2]` for the element at a flat index. */
function subscript(index: number, shape: readonly number[]): string {
  if (shape.length === 0) return "";
  const places: number[] = [];
  let rest = index;
  for (const size of shape.toReversed()) {
    places.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return `[${places.join(", ")}]`;
}
