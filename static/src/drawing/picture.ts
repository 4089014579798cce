import type { Stage } from "./stage";

const NAMESPACE = "http://www.w3.org/2000/svg";
/** Border around the graph, with room for what stands above its topmost card, and for the sentence below it, in pixels. */
const BORDER = 40;
const CAPTION = 56;
/** Pixels of a bitmap for one of the drawing; fewer where it would be larger than browsers make. */
const DENSITY = 2;
const LARGEST = 12_000;

/** What decides how a shape looks. As attributes they work in every program that opens the file, unlike a style sheet. */
const LOOKS = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "paint-order",
  "font-family",
  "font-size",
  "font-weight",
  "font-style",
  "text-anchor",
  "text-decoration",
] as const;

/** A graph at a step as a drawing of its own, whole and at full size, in the colours that it is seen in. */
export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

/**
 * Draws the whole graph of a stage, with `caption` below it. `place` is where the drawing may stand unseen meanwhile.
 * Null while there is no graph.
 */
export async function takePicture(stage: Stage, place: ParentNode, caption: string): Promise<Picture | null> {
  const { scene, step } = stage;
  if (!scene) return null;
  const [width, height] = [scene.width + 2 * BORDER, scene.height + 2 * BORDER + CAPTION].map(Math.ceil) as [
    number,
    number,
  ];
  const double = stage.double(scene, step);
  double.showWhole(BORDER);
  const box = document.createElement("div");
  box.className = "rehearsal";
  box.inert = true;
  box.append(double);
  place.append(box);
  try {
    await double.updateComplete;
    const drawn = double.renderRoot.querySelector("svg");
    if (!drawn) return null;
    const copy = withLooks(drawn);
    for (const [name, value] of Object.entries({ xmlns: NAMESPACE, width, height, viewBox: `0 0 ${width} ${height}` }))
      copy.setAttribute(name, String(value));
    const style = getComputedStyle(stage);
    copy.prepend(shape("rect", { width, height, fill: style.backgroundColor }));
    const words = shape("text", {
      x: BORDER,
      y: height - BORDER,
      fill: style.color,
      "font-size": 15,
      "font-family": getComputedStyle(place instanceof ShadowRoot ? place.host : stage).fontFamily,
    });
    words.textContent = caption;
    copy.append(words);
    copy.querySelector(".world")?.setAttribute("transform", `translate(${BORDER} ${1.5 * BORDER})`);
    copy.prepend(await fontFaces());
    return { svg: new XMLSerializer().serializeToString(copy), width, height };
  } finally {
    box.remove();
  }
}

/** The picture as a bitmap. */
export async function toBitmap({ svg, width, height }: Picture): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(DENSITY, LARGEST / width, LARGEST / height);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new RangeError(`no bitmap of ${width} × ${height}`))));
  });
}

function withLooks(drawn: SVGSVGElement): SVGSVGElement {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const copies = [...copy.querySelectorAll("*")];
  for (const [index, element] of [...drawn.querySelectorAll("*")].entries()) {
    const style = getComputedStyle(element);
    const own = copies[index];
    if (style.opacity === "0" || new DOMMatrix(style.transform).d === 0) own?.setAttribute("visibility", "hidden");
    for (const look of LOOKS) own?.setAttribute(look, style.getPropertyValue(look));
    own?.removeAttribute("style");
  }
  return copy;
}

function shape(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** The page's own faces, put into the drawing: it is shown where they are not. */
async function fontFaces(): Promise<SVGElement> {
  const rules = [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule).map((rule) => ({ rule, base: sheet.href })),
  );
  const faces = await Promise.all(
    rules.map(async ({ rule, base }) => {
      const family = rule.style.getPropertyValue("font-family");
      const address = /url\("([^"]+)"\)/.exec(rule.style.getPropertyValue("src"))?.[1];
      if (!family.includes("Plex") || !address) return "";
      const bytes = await (await fetch(new URL(address, base ?? document.baseURI))).blob();
      const weight = rule.style.getPropertyValue("font-weight");
      return `@font-face{font-family:${family};font-weight:${weight};src:url("${await dataUrl(bytes)}")}`;
    }),
  );
  const style = document.createElementNS(NAMESPACE, "style");
  style.textContent = faces.join("");
  return style;
}

const dataUrl = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
