import { css, unsafeCSS } from "lit";
import { property } from "lit/decorators.js";
import tokens from "../style/tokens.css?inline";
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
 * pressed inside of it, and neither writes the page's address nor keeps anything in the browser.
 */
export class Guest extends Player {
  static override styles = [unsafeCSS(tokens), ...Player.styles, apart];

  /** The step to begin at, counted from 1. */
  @property({ type: Number }) step = 1;

  override get inOwnPage(): boolean {
    return false;
  }

  protected override openAddress(): Address {
    return new NoAddress(() => this.step - 1);
  }
}
