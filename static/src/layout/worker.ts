import { type Plan, place } from "./place";

/** Layout of large graphs, away from the page's own thread. */
self.addEventListener("message", ({ data }: MessageEvent<Plan>) => {
  self.postMessage(place(data));
});
