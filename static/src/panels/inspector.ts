import { css, html, LitElement, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { kindOf, slotWords } from "../drawing/words";
import type { Chosen } from "../state/chosen";
import { tensorGradient, tensorValue, tensorVersion } from "../state/frame";
import type { History } from "../state/history";
import { ledgerOf, type Path } from "../state/ledger";
import { lifeOf } from "../state/life";
import { reasonsAt, savedPlaces, viewsOf } from "../state/relations";
import type { Node, Reason, Trace } from "../trace/types";
import { baseStyle } from "./base-style";
import { prose } from "./prose";

/** One tensor or node at one step: what it is, why, and how it came to be. */
@customElement("backplay-inspector")
export class Inspector extends LitElement {
  static override styles = [
    baseStyle,
    css`
      :host { display: block; overflow: auto; padding: var(--gap-3) var(--gap-4); background: var(--surface); font-size: var(--size-small); }
      .title { display: flex; align-items: baseline; gap: var(--gap-2); flex-wrap: wrap; }
      h3 { font: 600 var(--size-reading) var(--code); }
      .kind { color: var(--ink-soft); }
      dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0.2rem var(--gap-4); margin: var(--gap-2) 0; }
      dt { color: var(--ink-soft); }
      dd { margin: 0; font-family: var(--code); overflow-wrap: anywhere; max-height: 6rem; overflow: auto; }
      dd.words { font-family: var(--label); }
      .reason { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 var(--gap-3); border-left: 3px solid var(--leaf); background: var(--sunken); padding: var(--gap-2) var(--gap-3); margin: var(--gap-2) 0; }
      .reason > div { flex: 1 1 18rem; }
      .reason .jump { background: var(--surface); }
      .reason.warns { border-color: var(--now); background: var(--now-field); }
      .reason .fix { margin-top: var(--gap-1); }
      /* What goes on below stands under the words, not under the number. */
      ol button { width: 100%; text-align: left; text-indent: -2.6rem; padding: 0.15rem 0.4rem 0.15rem 3rem; margin-left: -0.4rem; border-radius: 4px; }
      ol button[aria-current] { background: var(--now-field); }
      .number { color: var(--ink-soft); font-variant-numeric: tabular-nums; display: inline-block; min-width: 2.2rem; text-indent: 0; }
      .ledger { font-family: var(--code); }
      .paths { color: var(--ink-soft); font-size: var(--size-caption); padding-left: 2.6rem; overflow-wrap: anywhere; }
      .sum { color: var(--sum); font-weight: 600; }
      h4 { margin: var(--gap-2) 0 0.2rem; }
      .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 0 var(--gap-5); align-items: start; }
      .empty { color: var(--ink-soft); }
      .jump[aria-disabled="true"] { opacity: 0.45; cursor: default; }
      .jump { border-color: var(--rule); font-size: var(--size-caption); padding: 0.2rem 0.55rem; min-height: 1.6rem; }
      @media (pointer: coarse) { .jump, ol button { min-height: 2.95rem; } }
    `,
  ];

  @property({ attribute: false }) history: History | null = null;
  @property({ type: Number }) step = 0;
  @property({ attribute: false }) chosen: Chosen | null = null;
  /** Runs a program, for checks. */
  @property({ attribute: false }) run: ((code: string) => Promise<Trace>) | null = null;

  protected override render() {
    const { history, chosen } = this;
    const tensor = chosen?.tensor ?? null;
    const node = history?.trace.nodes[chosen?.node ?? -1];
    if (!history || !chosen || (tensor === null && !node))
      return html`<p class="empty">Choose a name in the table or a card in the graph.</p>`;
    const record = tensor === null ? undefined : history.trace.tensors[tensor];
    return html`
      <div class="title"><h3>${record?.label ?? node?.name}</h3><span class="kind">${record ? kindOf(record) : "node"}</span>${tensor === null ? nothing : this.drawJumps(history, tensor)}</div>
      ${tensor === null ? nothing : alike(reasonsAt(history, tensor, this.step)).map((reasons) => this.drawReason(reasons))}
      <div class="columns">
        <dl>${tensor === null ? nothing : this.drawTensor(history, tensor)}${node ? drawNode(history, node) : nothing}</dl>
        ${tensor === null ? nothing : html`<div>${this.drawLedger(history, tensor)}${this.drawCheck(history, tensor)}${this.drawLife(history, tensor)}</div>`}
      </div>
    `;
  }

  private drawTensor(history: History, tensor: number) {
    const version = tensorVersion(history, tensor, this.step);
    const saved = savedPlaces(history, tensor, this.step);
    const views = viewsOf(history, tensor, this.step);
    const base = history.trace.tensors[tensor]?.base ?? null;
    return html`
      <dt>value</dt><dd class=${tensorValue(history, tensor, this.step).state === "value" ? "" : "words"}>${slotWords(tensorValue(history, tensor, this.step))}</dd>
      <dt>.grad</dt><dd>${slotWords(tensorGradient(history, tensor, this.step))}</dd>
      ${version > 0 ? html`<dt>version</dt><dd>${version}</dd>` : nothing}
      ${base === null ? nothing : html`<dt>view of</dt><dd>${history.trace.tensors[base]?.label}</dd>`}
      ${views.length > 0 ? html`<dt>its views</dt><dd>${views.map(({ label }) => html`<div>${label}</div>`)}</dd>` : nothing}
      ${saved.length > 0 ? html`<dt>saved by</dt><dd>${saved.map(({ node, name, held }) => html`<div>${history.trace.nodes[node]?.name} as ${name}${held ? "" : " (freed)"}</div>`)}</dd>` : nothing}
    `;
  }

  /** One answer to one question or more. */
  private drawReason(reasons: readonly [Reason, ...Reason[]]) {
    const [{ step, text, fix }] = reasons;
    const questions = new Set(reasons.map(({ about }) => WHY[about]));
    return html`<div class="reason ${reasons.some(({ warns }) => warns) ? "warns" : ""}"><div><p><strong>${[...questions].join(" ")}</strong> ${prose(text)}</p>
      ${fix ? html`<p class="fix"><strong>To change it:</strong> ${prose(fix)}</p>` : nothing}
      </div>
      ${step === null ? nothing : html`<button class="jump" @click=${() => this.seek(step)}>Show where</button>`}</div>`;
  }

  private drawLedger(history: History, tensor: number) {
    const entries = ledgerOf(history, tensor, this.step, MOST_ENTRIES);
    if (entries.length === 0) return nothing;
    const earlier = history.gradients.count(tensor, this.step) - entries.length;
    return html`<h4 class="heading">Ledger of .grad</h4>
      ${more(earlier, "before these")}
      <ol class="ledger">${entries.map(
        ({
          step,
          old,
          incoming,
          now,
          pass,
          paths,
        }) => html`<li>${this.momentButton(step, html`${old ? `${old} + ${incoming} = ` : "set to "}<span class="sum">${now}</span>`)}
        ${pass === null ? nothing : html`<p class="paths">pass ${pass}: ${describePaths(paths)}</p>`}</li>`,
      )}</ol>`;
  }

  private drawCheck(history: History, tensor: number) {
    if (tensorGradient(history, tensor, this.step).state !== "value") return nothing;
    return html`<backplay-check .history=${history} .tensor=${tensor} .step=${this.step} .run=${this.run}></backplay-check>`;
  }

  private drawLife(history: History, tensor: number) {
    const life = lifeOf(history, tensor);
    // The moments around this step; a weight of a long training has thousands.
    const here = life.findIndex(({ step }) => step > this.step);
    const middle = here < 0 ? life.length : here;
    const start = Math.max(0, Math.min(middle - MOST_ENTRIES / 2, life.length - MOST_ENTRIES));
    const shown = life.slice(start, start + MOST_ENTRIES);
    return html`<h4 class="heading">What happens to it</h4>
      ${more(start, "before these")}
      <ol>${shown.map(({ step, text }) => html`<li>${this.momentButton(step, prose(text))}</li>`)}</ol>
      ${more(life.length - start - shown.length, "after these")}`;
  }

  private momentButton(step: number, content: unknown) {
    return html`<button aria-current=${step === this.step ? "step" : nothing} @click=${() => this.seek(step)}><span class="number">${step + 1}</span> ${content}</button>`;
  }

  private drawJumps(history: History, tensor: number) {
    const steps = lifeOf(history, tensor).map(({ step }) => step);
    const before = steps.findLast((step) => step < this.step);
    const after = steps.find((step) => step > this.step);
    // Not `disabled`: the last press would throw the keyboard out of the panel.
    return html`<button class="jump" aria-disabled=${before === undefined} @click=${() => before !== undefined && this.seek(before)}>Previous change</button>
      <button class="jump" aria-disabled=${after === undefined} @click=${() => after !== undefined && this.seek(after)}>Next change</button>`;
  }

  private seek(step: number): void {
    this.dispatchEvent(new CustomEvent<number>("seek", { detail: step }));
  }
}

/** More entries of a list than this are counted, not listed. */
const MOST_ENTRIES = 20;

const more = (count: number, where: string) =>
  count > 0 ? html`<p class="empty">${count.toLocaleString("en")} more ${where}</p>` : nothing;

/** More messages than this are counted, not listed. */
const MOST_PATHS = 4;

/** Which messages were added up: `4 by MulBackward0 (self) + 1 by AddBackward0 (other)`. */
function describePaths(paths: readonly Path[]): string {
  const listed = paths.slice(0, MOST_PATHS).map(({ node, argument, value }) => `${value} by ${node} (${argument})`);
  const rest = paths.length - listed.length;
  return [...listed, ...(rest > 0 ? [`${rest} more`] : [])].join(" + ");
}

/** Reasons that say the same, together, in the order of the first. */
function alike(reasons: readonly Reason[]): (readonly [Reason, ...Reason[]])[] {
  const groups = new Map<string, [Reason, ...Reason[]]>();
  for (const reason of reasons) {
    const key = `${reason.text} ${reason.fix}`;
    const group = groups.get(key);
    if (group) group.push(reason);
    else groups.set(key, [reason]);
  }
  return [...groups.values()];
}

/** What a reason answers. */
const WHY: Readonly<Record<Reason["about"], string>> = {
  grad: "Why this .grad?",
  grad_fn: "Why this grad_fn?",
  value: "Why this value?",
  error: "Why the error?",
};

function drawNode(history: History, node: Node) {
  return html`
    <dt>grad_fn</dt><dd>${node.name}</dd>
    ${node.explains ? html`<dt>what it does</dt><dd class="words">${prose(node.explains)}</dd>` : nothing}
    ${
      node.edges.length > 0
        ? html`<dt>next_functions</dt><dd>${node.edges.map((edge) => html`<div>${edge.argument}: ${edge.node === null ? "None" : `(${history.trace.nodes[edge.node]?.name}, ${edge.input_nr})`}</div>`)}</dd>`
        : nothing
    }
    ${node.saved.length > 0 ? html`<dt>saves</dt><dd>${node.saved.map((saved) => html`<div>${saved.name} = ${saved.text}</div>`)}</dd>` : nothing}
  `;
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-inspector": Inspector;
  }
}
