import { html, nothing } from "lit";
import { icon } from "../../panels/icons";
import type { At } from "../../state/compare";
import { travelTime } from "../../state/playback";
import type { Trace } from "../../trace/types";
import type { Playing } from "../playing";

/** The graph, or two of them, with the buttons of the view. */
export function drawStage(player: Playing) {
  const { clock, looking, comparing } = player;
  const both = looking.history ? comparing.both(looking.history, clock.step) : null;
  return html`
    <div class="stages ${both ? "two" : ""}">
    ${both ? html`<p class="side kept">Before</p>${drawKept(player, both)}<p class="side">Now</p>` : nothing}
    <backplay-stage .marks=${both ? comparing.marks(both, "now") : null} .beside=${comparing.kept?.scene ?? null} .history=${looking.history} .scene=${looking.scene} .step=${clock.step} .selected=${looking.card} .travel=${travelTime(clock.speed)} .follows=${looking.follows}
      @select-card=${(e: CustomEvent<number | null>) => player.chooseCard(e.detail)} @toggle-part=${(e: CustomEvent<number>) => player.togglePart(e.detail)}></backplay-stage>
    </div>
    <footer>
      <p class="legend" aria-hidden="true"><span class="leaf">leaf</span><span class="operation">operation</span><span class="untracked">no grad</span><span class="saved">saved</span><span class="gradient">gradient</span><span class="sum">.grad</span></p>
      <div class="lens" role="group" aria-label="View">
        <button class="word" aria-pressed=${looking.follows} @click=${() => player.act("follow")}>Follow</button>
        <button aria-label="Zoom out" @click=${() => player.act("farther")}>${icon("farther")}</button>
        <button aria-label="Zoom in" @click=${() => player.act("closer")}>${icon("closer")}</button>
        <button aria-label="Fit the graph" @click=${() => player.act("fit")}>${icon("fit")}</button>
        ${document.fullscreenEnabled ? html`<button aria-label="Present: fill the screen" @click=${() => player.act("present")}>${icon("present")}</button>` : nothing}
      </div>
    </footer>
    <p class="told" aria-live="polite">${player.told}</p>
    ${anythingShown(player) ? nothing : drawBlank(player)}`;
}

/** What to do while there is nothing to see. */
function drawBlank(player: Playing) {
  const { trace, loading, looking, examples, clock } = player;
  if (loading.running) return html`<div class="blank"><p>Running…</p></div>`;
  if (trace && looking.scene?.cards.length === 0) return html`<div class="blank"><p>${whyNoGraph(trace)}</p></div>`;
  if (trace)
    return html`<div class="blank"><p>The graph grows here, node by node, as you play or step.</p>
      ${clock.playing ? nothing : html`<button class="run" @click=${(event: Event) => play(player, event)}>${icon("play")} Play ${trace.steps.length.toLocaleString("en")} steps</button>`}</div>`;
  return html`<div class="blank"><p>Press Run, and the graph of this code grows here, node by node.${player.inOwnPage && player.canRun ? " Code of your own: paste it anywhere on this page." : ""}</p>
    ${examples.length > 0 ? html`<button class="quiet" @click=${() => player.showExamples()}>Choose an example</button>` : nothing}</div>`;
}

/** Where there are tensors but no card, nothing was tracked. */
const whyNoGraph = ({ tensors, outcome }: Trace): string =>
  tensors.length > 0
    ? "Nothing here requires grad, so autograd records no graph. A tensor made with requires_grad=True begins one."
    : outcome.status === "ok"
      ? "This run computes with no tensor, so there is no graph."
      : "The run ended before anything was computed, so there is no graph.";

/** The button goes with the first card; the keys should go on working. */
function play(player: Playing, { target }: Event): void {
  (target as Element).closest<HTMLElement>(".frame")?.focus({ preventScroll: true });
  player.act("toggle");
}

/** The kept run, beside the one that plays. */
function drawKept({ clock, looking, comparing }: Playing, both: readonly [At, At]) {
  const { kept } = comparing;
  const [{ history, step }] = both;
  return html`<backplay-stage class="kept" .marks=${comparing.marks(both, "kept")} .beside=${looking.scene} .history=${history} .scene=${kept?.scene} .step=${step} .follows=${looking.follows} .travel=${travelTime(clock.speed)}
    @toggle-part=${(e: CustomEvent<number>) => kept?.togglePart(e.detail, step)}></backplay-stage>`;
}

const anythingShown = ({ looking, clock }: Playing): boolean =>
  looking.scene?.cards.some((card) => card.step <= clock.step) ?? false;
