import { takePicture, toBitmap } from "../drawing/picture";
import type { Stage } from "../drawing/stage";
import type { Share, Taken } from "../panels/share";
import "../panels/share";
import type { Address } from "./address";
import type { Playing } from "./playing";

/** What is shared, and where the dialog and drawings may stand. */
export interface Shared {
  readonly player: Playing;
  readonly address: Address;
  readonly stage: Stage;
  readonly root: ShadowRoot;
  /** Where snippets are posted: the site's other pages lie beside it. */
  readonly runs: string;
}

/**
 * Opens the dialog. The address takes up the code beside the step, so that it can be passed on, with the code that it is compared
 * with if there is any.
 */
export async function openShare(shared: Shared): Promise<void> {
  const { player, address, root } = shared;
  await address.setCode(player.snippet.code, player.comparing.code);
  const sheet = root.querySelector<Share>("backplay-share") ?? addSheet(shared);
  Object.assign(sheet, {
    link: location.href,
    frame: frameFor(location.hash, shared.runs),
    played: (player.looking.scene?.cards.length ?? 0) > 0,
  });
  await sheet.updateComplete;
  sheet.show();
}

function addSheet(shared: Shared): Share {
  const sheet = document.createElement("backplay-share");
  sheet.addEventListener("take", (event) => void take((event as CustomEvent<Taken>).detail, shared));
  shared.root.querySelector(".frame")?.append(sheet);
  return sheet;
}

/**
 * A frame that plays the same code from the same step, with what gives it the height that it asks for (`page/embed.ts`). Any number
 * of them may stand in one page: each script looks for the frame that spoke.
 */
function frameFor(hash: string, runs: string): string {
  const address = new URL(`../embed${hash}`, new URL(runs, document.baseURI)).href.replaceAll("&", "&amp;");
  return `<iframe src="${address}" title="A PyTorch program, step by step" width="100%" height="640" style="border: 0" allow="fullscreen; clipboard-write" loading="lazy"></iframe>
<script>
  addEventListener("message", ({ source, data }) => {
    const frame = [...document.querySelectorAll("iframe")].find((each) => each.contentWindow === source);
    if (frame && data?.type === "backplay-size") frame.height = data.height;
  });
</script>`;
}

async function take(what: Taken, { player, stage, root }: Shared): Promise<void> {
  const { trace, clock } = player;
  if (!trace) return;
  const place = `step-${clock.step + 1}`;
  if (what === "trace")
    return save("backplay-trace.json", new Blob([JSON.stringify(trace)], { type: "application/json" }));
  const caption = `${clock.step + 1} of ${trace.steps.length}: ${(trace.steps[clock.step]?.text ?? "").replaceAll("`", "")}`;
  const picture = await takePicture(stage, root, caption);
  if (!picture) return;
  if (what === "png") save(`backplay-${place}.png`, await toBitmap(picture));
  else save(`backplay-${place}.svg`, new Blob([picture.svg], { type: "image/svg+xml" }));
}

function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
