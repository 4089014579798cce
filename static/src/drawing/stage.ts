import { html, LitElement, nothing, type PropertyValues, svg } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { Scene } from "../layout/scene";
import { styled } from "../panels/styled";
import { currentPass } from "../state/frame";
import type { History } from "../state/history";
import { drawCallout } from "./callout";
import { type Camera, follow, pan, READABLE, type Size, showAll, zoom } from "./camera";
import { drawCard } from "./card";
import { type Focus, focusOf } from "./focus";
import { type Motion, move, stillness } from "./motion";
import { stageStyle } from "./stage-style";
import { type DrawnThread, drawLine, drawMessage, prepareThreads } from "./thread";

/** More messages than this in one stride are shown at rest, without travelling. */
const MOST_TRAVELLERS = 12;
const STAGGER = 180;

/** The graph on its stage: draws one step of a laid-out trace, and moves only what that step moves. */
@customElement("backplay-stage")
export class Stage extends LitElement {
  static override styles = stageStyle;

  @property({ attribute: false }) history: History | null = null;
  @property({ attribute: false }) scene: Scene | null = null;
  @property({ type: Number }) step = 0;
  @property({ type: Number }) selected: number | null = null;
  /** How long a message travels, in milliseconds. */
  @property({ type: Number }) travel = 600;

  @state() private camera: Camera = { x: 0, y: 0, scale: 1 };
  @state() private dragging = false;

  private threads: DrawnThread[] = [];
  private motions: Motion[] = [];
  private size: Size = { width: 1, height: 1 };
  private moved = false;
  private observer: ResizeObserver | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.observer = new ResizeObserver(([entry]) => {
      if (!entry) return;
      this.size = { width: entry.contentRect.width, height: entry.contentRect.height };
      if (!this.moved) this.fitAll();
    });
    this.observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer?.disconnect();
    this.stopMotion();
  }

  /** Shows everything. */
  fitAll(): void {
    if (this.scene) this.camera = showAll(this.scene, this.size);
    this.moved = false;
  }

  zoomBy(factor: number): void {
    this.moved = true;
    this.camera = zoom(this.camera, factor, this.size.width / 2, this.size.height / 2);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("scene") && this.scene) {
      this.threads = prepareThreads(this.scene.threads, this.scene.direction);
      this.fitAll();
      if (this.camera.scale < READABLE)
        this.camera = zoom(this.camera, READABLE / this.camera.scale, this.size.width / 2, this.size.height / 2);
    }
    if ((changed.has("step") || changed.has("scene")) && this.scene && this.history)
      this.followFocus(focusOf(this.history.trace, this.scene, this.step));
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has("step")) return;
    this.stopMotion();
    const before = changed.get("step");
    if (before !== undefined && this.step > before && !stillness()) this.sendMessages(before);
  }

  private followFocus(focus: Focus): void {
    const [first] = focus.cards;
    const card = first === undefined ? undefined : this.scene?.cards[first];
    if (card && this.size.width > 1) this.camera = follow(this.camera, card, this.size);
  }

  /** Lets the messages of the steps after `before` travel from their sender to where they rest. */
  private sendMessages(before: number): void {
    const fresh = [...this.renderRoot.querySelectorAll<SVGGElement>(".message")]
      .filter((element) => Number(element.dataset.cause) > before)
      .sort((a, b) => Number(a.dataset.cause) - Number(b.dataset.cause));
    if (fresh.length > MOST_TRAVELLERS) return;
    this.motions = fresh.flatMap((element, i) => {
      const thread = this.threads[Number(element.dataset.thread)];
      if (!thread) return [];
      return [
        move(this.travel, i * STAGGER, (share) => {
          const at = thread.walk.at(1 - share * (1 - thread.rest));
          element.setAttribute("transform", `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})`);
        }),
      ];
    });
  }

  private stopMotion(): void {
    for (const motion of this.motions) motion.stop();
    this.motions = [];
  }

  protected override render() {
    const { history, scene, step } = this;
    if (!history || !scene) return nothing;
    const pass = currentPass(history, step);
    const focus = focusOf(history.trace, scene, step);
    const cards = scene.cards.map((card, index) => ({ card, index })).filter(({ card }) => card.step <= step);
    const threads = this.threads
      .map((thread, index) => ({ thread, index }))
      .filter(({ thread }) => thread.step <= step);
    const { x, y, scale } = this.camera;
    return html`<svg role="img" aria-label=${`Graph at step ${step + 1}: ${cards.length} of ${scene.cards.length} cards shown`}
      class=${this.dragging ? "dragging" : ""}
      @wheel=${this.onWheel} @pointerdown=${this.onPointerDown} @dblclick=${this.fitAll}>
      <g class="world" ${styled({ transform: `translate(${x}px, ${y}px) scale(${scale})` })}>
        ${repeat(
          threads,
          ({ index }) => index,
          ({ thread, index }) => drawLine(thread, index === focus.thread),
        )}
        ${repeat(
          cards,
          ({ card }) => card.key,
          ({
            card,
            index,
          }) => svg`<g class="card ${card.kind} ${focus.cards.has(index) ? "now" : ""} ${this.selected === index ? "selected" : ""}" data-card=${index} transform="translate(${card.x} ${card.y})">
            <g class="card-body">
              <rect class="halo" x="-5" y="-5" width=${card.width + 10} height=${card.height + 10} rx=${card.kind === "leaf" ? 27 : 11}/>
              ${drawCard(history, card, step, pass)}
            </g>
          </g>`,
        )}
        ${repeat(
          threads,
          ({ index }) => index,
          ({ thread, index }) => drawMessage(history, thread, step, pass, index),
        )}
        ${drawCallout(scene, history.trace.steps[step])}
      </g>
    </svg>`;
  }

  private onWheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.moved = true;
    const box = this.getBoundingClientRect();
    this.camera = zoom(this.camera, Math.exp(-event.deltaY * 0.003), event.clientX - box.left, event.clientY - box.top);
  }

  private onPointerDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    const card = (event.target as Element).closest<SVGGElement>("[data-card]");
    const surface = event.currentTarget as SVGSVGElement;
    let travelled = 0;
    const onMove = (next: PointerEvent) => {
      travelled += Math.abs(next.movementX) + Math.abs(next.movementY);
      if (travelled < 4) return;
      this.dragging = true;
      this.moved = true;
      this.camera = pan(this.camera, next.movementX, next.movementY);
    };
    const onUp = () => {
      surface.removeEventListener("pointermove", onMove);
      this.dragging = false;
      if (travelled < 4)
        this.dispatchEvent(
          new CustomEvent<number | null>("select-card", { detail: card ? Number(card.dataset.card) : null }),
        );
    };
    surface.addEventListener("pointermove", onMove);
    surface.addEventListener("pointerup", onUp, { once: true });
    surface.addEventListener("pointercancel", onUp, { once: true });
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-stage": Stage;
  }
}
