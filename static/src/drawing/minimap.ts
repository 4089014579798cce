import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Scene } from "../layout/scene";
import { type Box, titleBox, touches } from "../layout/titles";
import { type Camera, centre, exceeds, type Size } from "./camera";
import type { Focus } from "./focus";

/** Largest size, in pixels and as a share of the stage; where that is large, a smaller share of it. */
const MOST = { width: 168, height: 110, share: 0.26, ofLarge: 0.15 };
const MARGIN = 10;
/** Pixels of width below which a stage has no corner to spare: on a phone a map would cover the card that it leads to. */
const ROOM = 480;

/** The whole graph in a corner, what of it is in view, and where the action is; drawn while there is more than fits. */
export function drawMinimap(
  scene: Scene,
  camera: Camera,
  stage: Size,
  step: number,
  focus: Focus,
): SVGTemplateResult | typeof nothing {
  const place = placeMinimap(scene, camera, stage, step);
  if (!place) return nothing;
  const { x, y, scale, width, height } = place;
  const outlines = outlinesOf(scene, scale);
  const boxes = (wanted: (index: number) => boolean): string => outlines.filter((_, index) => wanted(index)).join("");
  return svg`<g class="minimap" data-map="" transform="translate(${x} ${y})">
    <rect class="map-ground" x="-4" y="-4" width=${width + 8} height=${height + 8} rx="5"/>
    <path class="map-later" d=${boxes((index) => (scene.cards[index]?.step ?? 0) > step)}/>
    <path class="map-made" d=${boxes((index) => (scene.cards[index]?.step ?? 0) <= step)}/>
    <path class="map-now" d=${boxes((index) => focus.cards.has(index))}/>
    ${drawView(camera, stage, scale, width, height)}
  </g>`;
}

/** Where the map is on the stage, in pixels, and how much smaller than the graph. */
export interface MapPlace extends Box {
  readonly scale: number;
}

/**
 * A corner of the stage where no card is, and better one where none will be; none, while the graph is not much larger
 * than the stage or every corner is taken.
 */
export function placeMinimap(scene: Scene, camera: Camera, stage: Size, step: number): MapPlace | null {
  if (stage.width < ROOM || !exceeds(scene, camera, stage)) return null;
  const scale = minimapScale(scene, stage);
  const [width, height] = [scene.width * scale, scene.height * scale];
  const [right, bottom] = [stage.width - width - MARGIN, stage.height - height - MARGIN];
  const corners = [
    { x: right, y: MARGIN },
    { x: right, y: bottom },
    { x: MARGIN, y: MARGIN },
    { x: MARGIN, y: bottom },
  ].map((corner) => ({ ...corner, scale, width, height }));
  const onStage = ({ x, y, width, height }: Box): Box => ({
    x: x * camera.scale + camera.x,
    y: y * camera.scale + camera.y,
    width: width * camera.scale,
    height: height * camera.scale,
  });
  const titles = scene.parts.map((part) => onStage(titleBox(part.title, part.titleAt)));
  const free = (until: number) => {
    const cards = scene.cards.filter((card) => card.step <= until).map(onStage);
    return corners.find((corner) => ![...cards, ...titles].some((box) => touches(box, grown(corner))));
  };
  return free(Number.POSITIVE_INFINITY) ?? free(step) ?? null;
}

/** With the ground around it and some air. */
const grown = ({ x, y, width, height }: Box): Box => ({
  x: x - MARGIN,
  y: y - MARGIN,
  width: width + 2 * MARGIN,
  height: height + 2 * MARGIN,
});

/** What of the graph is in view, no further than the map reaches. */
function drawView(camera: Camera, stage: Size, scale: number, width: number, height: number): SVGTemplateResult {
  const inside = (at: number, most: number): number => Math.min(most + 4, Math.max(-4, at * scale));
  const [left, right] = [-camera.x, stage.width - camera.x].map((x) => inside(x / camera.scale, width)) as [
    number,
    number,
  ];
  const [top, bottom] = [-camera.y, stage.height - camera.y].map((y) => inside(y / camera.scale, height)) as [
    number,
    number,
  ];
  return svg`<rect class="map-view" x=${left} y=${top} width=${right - left} height=${bottom - top} rx="3"/>`;
}

function minimapScale(scene: Scene, stage: Size): number {
  const most = (pixels: number, extent: number): number =>
    Math.min(Math.max(pixels, extent * MOST.ofLarge), extent * MOST.share);
  return Math.min(
    most(MOST.width, stage.width) / Math.max(1, scene.width),
    most(MOST.height, stage.height) / Math.max(1, scene.height),
  );
}

/** The camera that looks at the place of the minimap under (`x`, `y`), in pixels of the stage. */
export function lookAt(place: MapPlace, camera: Camera, stage: Size, x: number, y: number): Camera {
  return centre(camera, { x: (x - place.x) / place.scale, y: (y - place.y) / place.scale }, stage);
}

const cache = new WeakMap<Scene, { scale: number; paths: string[] }>();

/** The rectangles of all cards as path text, made once for a scene and size. */
function outlinesOf(scene: Scene, scale: number): string[] {
  const known = cache.get(scene);
  if (known?.scale === scale) return known.paths;
  const size = (value: number): string => (value * scale).toFixed(1);
  const made = scene.cards.map(
    (card) => `M${size(card.x)} ${size(card.y)}h${size(card.width)}v${size(card.height)}h${size(-card.width)}z`,
  );
  cache.set(scene, { scale, paths: made });
  return made;
}
