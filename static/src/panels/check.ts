import { css, html, LitElement, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { type Finding, judge, planCheck } from "../state/finite-difference";
import type { History } from "../state/history";
import type { Trace } from "../trace/types";
import { baseStyle } from "./base-style";

/** Checks a `.grad` by finite differences when asked to: the snippet is run again with elements moved a little. */
@customElement("backplay-check")
export class GradientCheck extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; margin-top: var(--gap-2); }
      button { border-color: var(--wire); font-size: var(--size-caption); padding: 0.15rem 0.5rem; }
      @media (pointer: coarse) { button { min-height: 2.95rem; } }
      p { color: var(--ink-soft); margin-top: var(--gap-1); }
      table { border-collapse: collapse; margin-top: var(--gap-1); font-family: var(--code); }
      th { text-align: left; font: 600 var(--size-caption) var(--label); color: var(--ink-soft); }
      th, td { padding: 0.1rem var(--gap-3) 0.1rem 0; }
      .agrees { color: var(--sum); font-weight: 600; }
      .differs { color: var(--error); font-weight: 600; }
    `,
  ];

  @property({ attribute: false }) history: History | null = null;
  @property({ type: Number }) tensor = -1;
  @property({ type: Number }) step = 0;
  /** Runs a program. */
  @property({ attribute: false }) run: ((code: string) => Promise<Trace>) | null = null;
  @state() private findings: readonly Finding[] = [];
  @state() private told = "";
  @state() private busy = false;

  protected override willUpdate(changed: Map<PropertyKey, unknown>): void {
    // A finding is about one tensor at one step.
    if (changed.has("history") || changed.has("tensor") || changed.has("step")) [this.findings, this.told] = [[], ""];
  }

  protected override render() {
    return html`<button ?disabled=${!this.run} aria-disabled=${this.busy} @click=${() => this.check()}>${this.busy ? "Checking…" : "Check by finite differences"}</button>
      <div role="status">${this.told ? html`<p>${this.told}</p>` : nothing}
      ${
        this.findings.length > 0
          ? html`<table><thead><tr><th scope="col">element</th><th scope="col">.grad</th><th scope="col">(f(x+h) − f(x−h)) / 2h</th><th scope="col">verdict</th></tr></thead>
          <tbody>${this.findings.map(({ element, gradient, estimate, agrees }) => html`<tr><td>${element}</td><td>${short(gradient)}</td><td>${short(estimate)}</td><td class=${agrees ? "agrees" : "differs"}>${agrees ? "✓ agrees" : "≠ differs"}</td></tr>`)}</tbody></table>`
          : nothing
      }</div>`;
  }

  private async check(): Promise<void> {
    const { history, tensor, step, run } = this;
    if (!history || !run || this.busy) return;
    const plan = planCheck(history, tensor, step);
    if (typeof plan === "string") {
      this.told = plan;
      return;
    }
    this.busy = true;
    const findings: Finding[] = [];
    try {
      for (const probe of plan.probes) {
        const [plus, minus] = [await run(probe.codes[0]), await run(probe.codes[1])];
        const finding = judge(plan, probe, [plus, minus]);
        if (finding) findings.push(finding);
      }
    } catch (error) {
      this.told = error instanceof Error ? error.message : String(error);
      return;
    } finally {
      this.busy = false;
    }
    // The person may have gone on meanwhile.
    if (this.history !== history || this.tensor !== tensor || this.step !== step) return;
    this.findings = findings;
    if (findings.length < plan.probes.length) this.told = "With a moved element the program did not come as far.";
  }
}

const short = (value: number): string => String(Number(value.toPrecision(5)));

declare global {
  interface HTMLElementTagNameMap {
    "backplay-check": GradientCheck;
  }
}
