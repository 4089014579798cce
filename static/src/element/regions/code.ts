import { html, nothing } from "lit";
import { icon } from "../../panels/icons";
import type { Playing } from "../playing";

/** The snippet, or its editor, and what can be done with it. */
export function drawCode(player: Playing) {
  const { snippet, clock, looking, comparing, canRun } = player;
  const stale = player.trace !== null && player.trace.code !== snippet.code;
  const { running } = player.loading;
  return html`
    <header>
      <h3 class="heading">${snippet.editing ? "Editing" : stale ? "Changed: press Run" : "Code"}</h3>
      ${player.examples.length > 0 ? html`<button class="quiet" @click=${() => player.showExamples()}>Examples</button>` : nothing}
      ${snippet.changed ? html`<button class="quiet" @click=${() => snippet.restore()}>Reset</button>` : nothing}
      ${player.inOwnPage ? html`<button class="quiet" @click=${() => player.share()}>Share</button>` : nothing}
      ${
        canRun
          ? html`<button class="quiet" aria-pressed=${comparing.keeps} ?disabled=${!player.trace} @click=${() => player.act("compare")}>Compare</button>
        ${snippet.editing ? nothing : html`<button class="quiet" @click=${() => player.edit(null)}>Edit</button>`}
        <button class="run" ?disabled=${running} @click=${() => player.run()}>${running ? "Running" : html`${icon("play")} Run`}</button>`
          : nothing
      }
    </header>
    ${
      snippet.editing
        ? html`<div class="editor"></div>`
        : html`<backplay-code .code=${snippet.code} .history=${stale ? null : looking.history} .step=${clock.step} .breakpoints=${clock.halts.lines} .stopsVersion=${clock.halts.version} .source=${looking.source}
            @go-line=${(e: CustomEvent<number>) => player.goToLine(e.detail)} @hover-name=${(e: CustomEvent<string>) => looking.pointAt(e.detail, clock.step)}
            @edit-line=${(e: CustomEvent<number>) => player.edit(e.detail)} @toggle-breakpoint=${(e: CustomEvent<number>) => clock.halts.toggleLine(e.detail)}></backplay-code>`
    }`;
}
