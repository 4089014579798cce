import type { Trace } from "../trace/types";
import type { CardGraph } from "./cards";
import { layOutGraph } from "./scene";

/** Layout of large graphs, away from the page's own thread. */
export interface LayoutRequest {
  readonly trace: Trace;
  readonly graph: CardGraph;
  readonly aspect: number;
}

self.addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  self.postMessage(layOutGraph(data.trace, data.graph, data.aspect));
});
