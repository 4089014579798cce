import { html } from "lit";
import type { Found } from "../../state/find";
import { origin } from "../../state/frame";
import { type Playing, TABS, type Tab } from "../playing";
import { RARE } from "../rare";

/** What everything is at this step: one panel of several, and what was printed. */
export function drawValues(player: Playing) {
  return html`
    <backplay-tabs .names=${TABS} .open=${player.tab} @open-tab=${(e: CustomEvent<Tab>) => player.openTab(e.detail)}>${drawTab(player)}</backplay-tabs>
    <backplay-output .history=${player.looking.history} .step=${player.reading.step} @seek=${(e: CustomEvent<number>) => player.seek(e.detail)}></backplay-output>`;
}

/** Loads what a panel needs beyond the first load. */
export function loadTab(tab: Tab): void {
  if (tab === "Inspector") void RARE.inspector().then(RARE.check);
  if (tab === "Outline") void RARE.outline();
  if (tab === "Compare") void RARE.comparison();
  if (tab === "Stops") void RARE.stops();
}

/** Goes to where it was made, so that its part of the graph is open. */
function goToFound(player: Playing, { tensor, node, step }: Found): void {
  player.seek(step);
  player.choose({ tensor, node });
}

/** Only the open tab is drawn: the others would cost time at every step. */
function drawTab(player: Playing) {
  const { clock, looking, comparing } = player;
  const { history, scene, chosen } = looking;
  const { step } = player.reading;
  const seek = (event: CustomEvent<number>): void => player.seek(event.detail);
  switch (player.tab) {
    case "Inspector":
      return html`<backplay-inspector .history=${history} .step=${step} .chosen=${chosen} .run=${player.canRun ? player.runApart : null} @seek=${seek}></backplay-inspector>`;
    case "Compare": {
      const both = history ? comparing.both(history, step) : null;
      return html`<backplay-comparison .earlier=${both?.[0] ?? null} .now=${both?.[1] ?? null} .keeps=${comparing.keeps} .canRun=${player.canRun}
        @keep=${() => player.act("compare")} @compare-with=${(e: CustomEvent<string>) => player.compareWith(e.detail)}></backplay-comparison>`;
    }
    case "Stops":
      return html`<backplay-stops .history=${history} .stops=${clock.halts} .version=${clock.halts.version} @seek=${seek} @to-stop=${() => player.act("stop-next")}></backplay-stops>`;
    case "Outline":
      return html`<backplay-outline .history=${history} .scene=${scene} .step=${step} .selected=${looking.card}
        @select-card=${(e: CustomEvent<number>) => player.chooseCard(e.detail)} @toggle-part=${(e: CustomEvent<number>) => player.togglePart(e.detail)}
        @leave=${() => player.focusTab()}
        @choose-found=${(e: CustomEvent<Found>) => goToFound(player, e.detail)}></backplay-outline>`;
    default:
      return html`<backplay-variables .history=${history} .step=${step} .selectedTensor=${chosen?.tensor ?? null}
        @select-tensor=${(e: CustomEvent<number>) => player.choose({ tensor: e.detail, node: history ? origin(history, e.detail, step).gradFn : null })}></backplay-variables>`;
  }
}
