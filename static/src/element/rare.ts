/** Panels that many visits never open, each a file of its own, loaded when it is about to be shown. */
export const RARE = {
  check: () => import("../panels/check"),
  inspector: () => import("../panels/inspector"),
  keys: () => import("../panels/key-sheet"),
  outline: () => import("../panels/outline"),
  prediction: () => import("../panels/prediction"),
  comparison: () => import("../panels/comparison"),
  examples: () => import("../panels/examples"),
  stops: () => import("../panels/stops"),
} as const;
