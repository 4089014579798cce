import type { Trace } from "../trace/types";
import type { CardGraph } from "./cards";
import { layOutGraph, type Scene } from "./scene";
import type { LayoutRequest } from "./worker";

/** Graphs up to this many cards are laid out faster than a worker starts. */
const SMALL = 120;

/** Lays a graph out at once, when it is small enough for that. */
export function layOutNow(trace: Trace, graph: CardGraph, aspect: number): Scene | null {
  return graph.cards.length <= SMALL ? layOutGraph(trace, graph, aspect) : null;
}

/** Lays a large graph out in a worker. */
export async function layOutLater(trace: Trace, graph: CardGraph, aspect: number): Promise<Scene> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  try {
    return await new Promise<Scene>((resolve, reject) => {
      worker.addEventListener("message", ({ data }: MessageEvent<Scene>) => resolve(data), { once: true });
      worker.addEventListener("error", (event) => reject(new Error(`The layout worker failed: ${event.message}`)), {
        once: true,
      });
      worker.postMessage({ trace, graph, aspect } satisfies LayoutRequest);
    });
  } finally {
    worker.terminate();
  }
}
