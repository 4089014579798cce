import type { CardGraph } from "./cards";
import { alike, type Parts } from "./parts";

/** For every scope and stretch the outermost closed part around it, or −1. */
export type Enclosing = Int32Array;

export function enclosingOf({ paths }: Parts, closed: ReadonlySet<number>): Enclosing {
  const enclosing = new Int32Array(paths.length);
  for (const [place, path] of paths.entries()) {
    const innermost = path.at(-1) ?? -1;
    // Parts come after those around them; another scope is where its innermost part is.
    const around = innermost === place ? (path.at(-2) ?? -1) : innermost;
    const outer = around < 0 ? -1 : (enclosing[around] ?? -1);
    enclosing[place] = outer < 0 && closed.has(place) ? place : outer;
  }
  return enclosing;
}

/**
 * Folded neighbours that are shown as one card: for each of them the first of its run, −1 for what isn't folded.
 *
 * Only what was recorded without anything else in between, so that no path leaves a run and comes back to it.
 */
export function runsOf({ parts, recorded }: CardGraph, enclosing: Enclosing, apart: ReadonlySet<number>): Int32Array {
  // What holds no operation stands alone.
  const runs = Int32Array.from(enclosing, (part, place) => (part === place ? place : -1));
  const met = new Uint8Array(runs.length);
  let [first, last] = [-1, -1];
  for (let at = 0; at < recorded.length; at++) {
    const part = enclosing[parts.ofNode[recorded[at] ?? 0] ?? 0] ?? -1;
    if (part === last) continue;
    if (part >= 0) {
      const joins = last >= 0 && !apart.has(part) && !apart.has(last) && alike(parts, last, part);
      if (!joins) first = part;
      if (!met[part]) runs[part] = first;
      met[part] = 1;
    }
    last = part;
  }
  return runs;
}
