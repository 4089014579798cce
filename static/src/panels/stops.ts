import { css, html, LitElement, nothing } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { beginsWithin, type Condition } from "../state/condition";
import { ConditionError, parseCondition } from "../state/condition-text";
import type { History } from "../state/history";
import type { Stops } from "../state/stops";
import { baseStyle } from "./base-style";
import { icon } from "./icons";
import { prose } from "./prose";

/** Where playing halts: marked lines, conditions, and the `breakpoint()` calls of the snippet. */
@customElement("backplay-stops")
export class StopsPanel extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; overflow: auto; padding: var(--gap-3) var(--gap-4); background: var(--surface); font-size: var(--size-small); }
      form { display: flex; gap: var(--gap-2); align-items: center; flex-wrap: wrap; }
      input { font: inherit; font-family: var(--code); color: inherit; background: var(--sunken); border: 1px solid var(--wire); border-radius: var(--round); padding: 0.3rem 0.6rem; min-width: 8rem; flex: 0 1 18rem; }
      form button, .jump { border-color: var(--wire); }
      .fault { color: var(--error); margin-top: var(--gap-1); }
      ul { margin-top: var(--gap-2); }
      li { display: flex; align-items: center; gap: var(--gap-2); }
      li code { flex: 0 1 auto; }
      ul button { padding: 0.1rem 0.4rem; display: inline-grid; place-items: center; }
      .icon { width: 12px; height: 12px; }
      .soft { color: var(--ink-soft); }
      @media (pointer: coarse) { button, ol button, input { min-width: 2.95rem; min-height: 2.95rem; } }
      ol button { width: 100%; text-align: left; padding: 0.15rem 0.4rem; margin-left: -0.4rem; border-radius: 4px; }
    `,
  ];

  @property({ attribute: false }) history: History | null = null;
  @property({ attribute: false }) stops: Stops | null = null;
  /** Changes with every change of the stops, so that they are drawn anew. */
  @property({ type: Number }) version = 0;
  @state() private fault = "";
  @query("input") private field!: HTMLInputElement;

  protected override render() {
    const { stops, history } = this;
    if (!stops) return nothing;
    const bookmarks = (history?.trace.steps ?? []).flatMap((step, index) => (step.kind === "bookmark" ? [index] : []));
    return html`
      <form @submit=${this.add}>
        <label for="condition">Stop when</label>
        <input id="condition" autocomplete="off" spellcheck="false" placeholder="a.grad > 3" aria-describedby="fault">
        <button>Add</button>
        <button type="button" class="jump" ?disabled=${!history} @click=${() => this.dispatchEvent(new CustomEvent("to-stop"))}>Go to the next stop</button>
      </form>
      <p class="fault" id="fault" role="alert">${this.fault}</p>
      <ul aria-label="Stops">
        ${[...stops.conditions.keys()].map((text) => html`<li><code>${text}</code>${this.isUnknown(parseCondition(text)) ? html`<span class="soft">no such name in this run</span>` : nothing}${this.cross(`Remove ${text}`, () => stops.removeCondition(text))}</li>`)}
        ${[...stops.lines].sort((a, b) => a - b).map((line) => html`<li>line ${line}${this.cross(`Remove the stop on line ${line}`, () => stops.toggleLine(line))}</li>`)}
      </ul>
      ${stops.isEmpty && bookmarks.length === 0 ? html`<p class="soft">Click beside a line number, add a condition, or write breakpoint() in the code.</p>` : nothing}
      ${bookmarks.length > 0 ? html`<h4 class="heading">Bookmarks</h4><ol>${bookmarks.map((step) => html`<li><button @click=${() => this.dispatchEvent(new CustomEvent("seek", { detail: step }))}>Step ${step + 1}: ${prose(history?.trace.steps[step]?.text ?? "")}</button></li>`)}</ol>` : nothing}`;
  }

  private isUnknown(condition: Condition): boolean {
    return condition.kind !== "step" && this.history?.names.includes(condition.of.name) === false;
  }

  private cross(label: string, action: () => void) {
    return html`<button aria-label=${label} @click=${action}>${icon("cross")}</button>`;
  }

  private add(event: Event): void {
    event.preventDefault();
    try {
      const condition = parseCondition(this.field.value);
      this.stops?.addCondition(this.field.value.trim(), (history, first, last) =>
        beginsWithin(history, condition, first, last),
      );
      this.fault = "";
      this.field.value = "";
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      this.fault = error.message;
    }
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-stops": StopsPanel;
  }
}
