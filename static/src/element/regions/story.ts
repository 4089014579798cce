import { html, nothing } from "lit";
import type { Playing } from "../playing";
import { RARE } from "../rare";

/** What happens at this step and why, and what is asked before it is shown. */
export function drawStory(player: Playing, goOn: () => void) {
  const { clock, trace } = player;
  const { step } = player.reading;
  if (clock.predicting) void RARE.prediction();
  const seek = (event: CustomEvent<number>): void => player.seek(event.detail);
  return html`
    <backplay-problem .problem=${player.loading.problem} .trace=${trace} .here=${step === clock.last} .told=${player.playsOwn || clock.asked !== null} .canEdit=${player.canRun}
      @seek-end=${() => clock.act("last")} @edit-line=${(e: CustomEvent<number>) => player.edit(e.detail)}></backplay-problem>
    ${clock.predicting ? html`<backplay-prediction .question=${clock.asked} .ahead=${clock.ahead.length} @seek=${seek} @go-on=${goOn} @ask-next=${() => clock.askNext()}></backplay-prediction>` : nothing}
    <backplay-narration .trace=${trace} .step=${step} .notes=${player.notes} @seek=${seek}></backplay-narration>`;
}
