/** What is drawn only of graphs that are larger than their stage, or compared. Loaded for the first: most are neither. */
export { drawDifference } from "./difference";
export { drawDistant } from "./distant";
export { drawMinimap, lookAt, placeMinimap } from "./minimap";
