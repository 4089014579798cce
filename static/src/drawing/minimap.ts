import { nothing, type SVGTemplateResult, svg } from "lit";
import type { Scene } from "../layout/scene";
import type { Camera, Size } from "./camera";
import type { Focus } from "./focus";

/** Largest size, in pixels and as a share of the stage. */
const MOST = { width: 168, height: 110, share: 0.26 };
const MARGIN = 10;
/** It is drawn when the graph is this much larger than the stage; less than that is found without a map. */
const EXCEEDS = 1.3;
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
  if (stage.width < ROOM || !exceeds(scene, camera, stage)) return nothing;
  const scale = minimapScale(scene, stage);
  const [width, height] = [scene.width * scale, scene.height * scale];
  const outlines = outlinesOf(scene, scale);
  const boxes = (wanted: (index: number) => boolean): string => outlines.filter((_, index) => wanted(index)).join("");
  return svg`<g class="minimap" data-map="" transform="translate(${stage.width - width - MARGIN} ${MARGIN})">
    <rect class="map-ground" x="-4" y="-4" width=${width + 8} height=${height + 8} rx="5"/>
    <path class="map-later" d=${boxes((index) => (scene.cards[index]?.step ?? 0) > step)}/>
    <path class="map-made" d=${boxes((index) => (scene.cards[index]?.step ?? 0) <= step)}/>
    <path class="map-now" d=${boxes((index) => focus.cards.has(index))}/>
    ${drawView(camera, stage, scale, width, height)}
  </g>`;
}

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

function exceeds(scene: Scene, camera: Camera, stage: Size): boolean {
  return scene.width * camera.scale > stage.width * EXCEEDS || scene.height * camera.scale > stage.height * EXCEEDS;
}

function minimapScale(scene: Scene, stage: Size): number {
  const width = Math.min(MOST.width, stage.width * MOST.share);
  return Math.min(
    width / Math.max(1, scene.width),
    Math.min(MOST.height, stage.height * MOST.share) / Math.max(1, scene.height),
  );
}

/** The camera that looks at the place of the minimap under (`x`, `y`), in pixels of the stage. */
export function lookAt(scene: Scene, camera: Camera, stage: Size, x: number, y: number): Camera {
  const scale = minimapScale(scene, stage);
  const worldX = (x - (stage.width - scene.width * scale - MARGIN)) / scale;
  const worldY = (y - MARGIN) / scale;
  return {
    scale: camera.scale,
    x: stage.width / 2 - worldX * camera.scale,
    y: stage.height / 2 - worldY * camera.scale,
  };
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
