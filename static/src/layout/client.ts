import { type Placement, type Plan, place } from "./place";
import workerUrl from "./worker?worker&url";

/** Plans of up to this many boxes are placed faster than a worker starts. */
const SMALL = 120;
/** Placements that are kept: the turns of a loop are often the same plan. */
const MOST_KEPT = 24;

const kept = new Map<string, Placement>();

/** Places a plan at once, when it is small enough for that. */
export function placeNow(plan: Plan): Placement | null {
  if (plan.boxes.length > SMALL) return null;
  const key = keyOf(plan);
  const known = kept.get(key);
  if (known) return known;
  const placement = place(plan);
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? "");
  kept.set(key, placement);
  return placement;
}

/** Groups by their order: which boxes are together matters, not what they are numbered. */
function keyOf({ boxes, wires, aspect }: Plan): string {
  const groups = [...new Set(boxes.map((box) => box.group))];
  const sizes = boxes.map(({ width, height, group }) => `${width} ${height} ${groups.indexOf(group)}`);
  return `${aspect}|${sizes}|${wires.map(({ from, to, port }) => `${from} ${to} ${port}`)}`;
}

/** Places a large plan in a worker; on this thread where a page's policy allows no worker. */
export async function placeLater(plan: Plan): Promise<Placement> {
  const worker = openWorker();
  if (!worker) return place(plan);
  try {
    return await new Promise<Placement>((resolve) => {
      worker.addEventListener("message", ({ data }: MessageEvent<Placement>) => resolve(data), { once: true });
      worker.addEventListener("error", () => resolve(place(plan)), { once: true });
      worker.postMessage(plan);
    });
  } finally {
    worker.terminate();
  }
}

let address: string | null = null;

/** A worker must come from the page's own origin: in another site's page, a text of the page's own brings it in. */
function openWorker(): Worker | null {
  const { href, origin } = new URL(workerUrl, import.meta.url);
  const bringing = (): string =>
    URL.createObjectURL(new Blob([`import ${JSON.stringify(href)};`], { type: "text/javascript" }));
  address ??= origin === location.origin ? href : bringing();
  try {
    return new Worker(address, { type: "module" });
  } catch (error) {
    // Thrown where the policy of the page around forbids it.
    if (error instanceof DOMException) return null;
    throw error;
  }
}
