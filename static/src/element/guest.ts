import { css, type PropertyValues, unsafeCSS } from "lit";
import { property } from "lit/decorators.js";
import tokens from "../style/tokens.css?inline";
import { ServiceProblem } from "../trace/service";
import type { Trace } from "../trace/types";
import { type Address, NoAddress } from "./address";
import { Player } from "./player";

/** What a page inherits to everything in it, put back to what the player is drawn for. */
const apart = css`
  :host {
    display: block; font-style: normal; font-weight: 400; letter-spacing: normal; word-spacing: normal;
    text-align: start; text-indent: 0; text-transform: none; white-space: normal; direction: ltr;
  }
  .frame { height: var(--backplay-height, min(46rem, 94vh)); }
  @container (max-width: 860px) { .frame { height: auto; } }
`;

/**
 * The player in somebody else's page: `<backplay-player src="https://….json" step="12">`. It takes only keys that are
 * pressed inside of it, and neither writes the page's address nor keeps anything in the browser. A page that changes `src`
 * or `step` later gets another trace, or another step of this one.
 */
export class Guest extends Player {
  static override styles = [unsafeCSS(tokens), ...Player.styles, apart];

  /** The step to begin at, counted from 1. */
  @property({ type: Number }) step = 1;

  override get inOwnPage(): boolean {
    return false;
  }

  protected override updated(changed?: PropertyValues): void {
    super.updated();
    // What a page says at first is not yet a change.
    if (typeof changed?.get("src") === "string") void this.begin();
    else if (typeof changed?.get("step") === "number" && this.trace) this.seek(this.clock.firstStep(this.trace));
  }

  /** Whoever wrote the page gave the address: what they can do is said, whatever stood in the way. */
  protected override async fetchSource(signal: AbortSignal): Promise<Trace> {
    try {
      return await super.fetchSource(signal);
    } catch (error) {
      if (signal.aborted) throw error;
      throw new ServiceProblem(
        "No trace came from this player's src",
        `${new URL(this.src, document.baseURI)} must hold an answer of POST /api/runs, and its site must let this page read it (Access-Control-Allow-Origin). What stood in the way: ${error instanceof Error ? error.message : error}`,
      );
    }
  }

  protected override openAddress(): Address {
    return new NoAddress(() => this.step - 1);
  }
}
