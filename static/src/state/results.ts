import { tensorValue } from "./frame";
import type { History } from "./history";

/** For every line what it last gave, in words: the names it bound, else the tensor that it made or wrote. */
export function lastResults(history: History, step: number): Map<number, string> {
  const { steps, tensors } = history.trace;
  const results = new Map<number, string>();
  const give = (line: number, name: string, tensor: number): void => {
    const value = tensorValue(history, tensor, step);
    if (value.state !== "value") return;
    const before = results.get(line);
    results.set(line, `${before ? `${before}, ` : ""}${name} ${value.value.text}`);
  };
  for (const [slot] of history.names.entries()) {
    const event = steps[history.bindings.at(slot, step)];
    if (event?.kind === "name_bound" && event.span) give(event.span.line, `${event.name} =`, event.tensor);
  }
  const count = history.trace.code.split("\n").length;
  for (let line = 1; line <= count; line++) {
    if (results.has(line)) continue;
    const event = steps[history.results.at(line, step)];
    if (event?.kind === "value_written") give(line, `${tensors[event.tensor]?.label} =`, event.tensor);
    else if (event?.kind === "tensor_made") give(line, "→", event.tensor);
  }
  return results;
}
