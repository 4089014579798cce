import type { Trace } from "../trace/types";
import type { Direction } from "./model";
import { layOutTrace } from "./scene";

/** Layout of large graphs, away from the page's own thread. */
export interface LayoutRequest {
  readonly trace: Trace;
  readonly direction: Direction;
  readonly aspect: number;
}

self.addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  self.postMessage(layOutTrace(data.trace, data.direction, data.aspect));
});
