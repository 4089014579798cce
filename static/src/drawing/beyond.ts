/** What is drawn only of graphs that are larger than their stage. Loaded for the first of them: most graphs are not. */
export { drawDistant } from "./distant";
export { drawMinimap, lookAt, placeMinimap } from "./minimap";
