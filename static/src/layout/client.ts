import type { Trace } from "../trace/types";
import { layOutTrace, type Scene } from "./scene";
import type { LayoutRequest } from "./worker";

/** Graphs up to this many nodes are laid out faster than a worker starts. */
const SMALL = 120;

/** Lays a trace out: at once when it is small, in a worker when it is large. */
export async function requestLayout(trace: Trace, aspect: number, closed: ReadonlySet<number>): Promise<Scene> {
  if (trace.nodes.length <= SMALL) return layOutTrace(trace, aspect, closed);
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<Scene>((resolve, reject) => {
      worker.addEventListener("message", ({ data }: MessageEvent<Scene>) => resolve(data), { once: true });
      worker.addEventListener("error", (event) => reject(new Error(`The layout worker failed: ${event.message}`)), {
        once: true,
      });
      worker.postMessage({ trace, aspect, closed } satisfies LayoutRequest);
    });
  } finally {
    worker.terminate();
  }
}
