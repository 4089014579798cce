import { type Placement, type Plan, place } from "./place";
import workerUrl from "./worker?worker&url";

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
