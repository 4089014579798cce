import type { Trace } from "../trace/types";
import { layOutTrace } from "./scene";

/** Layout of large graphs, away from the page's own thread. */
export interface LayoutRequest {
  readonly trace: Trace;
  readonly aspect: number;
  readonly closed: ReadonlySet<number>;
}

self.addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  self.postMessage(layOutTrace(data.trace, data.aspect, data.closed));
});
