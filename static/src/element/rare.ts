/** What many visits never need, each a file of its own, loaded when it is about to be used. */
export const RARE = {
  check: () => import("../panels/check"),
  inspector: () => import("../panels/inspector"),
  keys: () => import("../panels/key-sheet"),
  outline: () => import("../panels/outline"),
  prediction: () => import("../panels/prediction"),
  compare: () => import("../state/compare"),
  packed: () => import("../state/packed"),
  comparison: () => import("../panels/comparison"),
  examples: () => import("../panels/examples"),
  folding: () => import("./folding"),
  sharing: () => import("./sharing"),
  rehearsal: () => import("./rehearsal"),
  stops: () => import("../panels/stops"),
  unasked: () => import("./unasked"),
} as const;
