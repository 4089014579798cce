import { html, LitElement, nothing, type PropertyValues, svg } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { keyed } from "lit/directives/keyed.js";
import { repeat } from "lit/directives/repeat.js";
import type { Point } from "../layout/model";
import type { PlacedCard, Scene } from "../layout/scene";
import type { Difference } from "../state/compare";
import { currentPass } from "../state/frame";
import type { History } from "../state/history";
import { activityOf } from "./activity";
import { drawCallout } from "./callout";
import {
  type Camera,
  centre,
  exceeds,
  glance,
  isDistant,
  LARGEST,
  leastWhole,
  MAGNIFIED,
  near,
  noLarger,
  onSheet,
  openPart,
  type Side,
  type Size,
  showAll,
  showPart,
  showStart,
  zoom,
} from "./camera";
import { drawCard } from "./card";
import { choreograph, DELIVERY } from "./choreography";
import { focusOf, lastFocus } from "./focus";
import { follow, together } from "./follow";
import { Gestures } from "./gestures";
import { drawHull, drawPartTitle } from "./hulls";
import { type Motion, stillness } from "./motion";
import { stageStyle } from "./stage-style";
import { styled } from "./styled";
import { type DrawnThread, drawCut, drawLine, drawMessage, prepareThreads } from "./thread";
import { shows, viewOf } from "./visible";
import { describeTensor } from "./words";

/** How much larger than usual the page's letters are. */
const letterSize = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** Shared by all stages, once one of them has needed it. */
let beyond: typeof import("./beyond") | null = null;

export async function loadBeyond(): Promise<void> {
  beyond = await import("./beyond");
}

/** The graph on its stage: draws one step of a laid-out trace, and moves only what that step moves. */
@customElement("backplay-stage")
export class Stage extends LitElement {
  static override styles = stageStyle;

  @property({ attribute: false }) history: History | null = null;
  @property({ attribute: false }) scene: Scene | null = null;
  @property({ type: Number }) step = 0;
  @property({ type: Number }) selected: number | null = null;
  /** How a card differs from its twin in another run, while two runs are compared. */
  @property({ attribute: false }) marks: ((card: PlacedCard) => Difference) | null = null;
  /** The graph of the other run, while two are compared. */
  @property({ attribute: false }) beside: Scene | null = null;
  /** Whether the view moves along with the action. */
  @property({ type: Boolean }) follows = true;
  /** How long a message travels, in milliseconds. */
  @property({ type: Number }) travel = 600;

  @state() private camera: Camera = { x: 0, y: 0, scale: 1 };
  @state() private dragging = false;
  @state() private size: Size = { width: 1, height: 1 };

  /** The step before this one was shown: what came into being since then is drawn appearing. */
  private shownBefore = 0;
  private threads: DrawnThread[] = [];
  private motions: Motion[] = [];
  private moved = false;
  /** Whether it shows everything, whatever place there is. */
  private whole = false;
  /** Parts that a press opens or folds: they stay in view, wherever they stand then. */
  private opening: readonly number[] = [];
  /** Whether the view changed by more than a glide can show. */
  private leaping = false;
  private observer: ResizeObserver | null = null;
  /** What is seen while it is not being printed; on paper it is the whole, for nobody can look further there. */
  private onScreen: { camera: Camera; size: Size } | null = null;
  /** How much larger than usual the page's letters are; asked for when the size changes, for the answer costs a layout. */
  private letters = 1;
  private readonly gestures = new Gestures(this, {
    camera: () => this.camera,
    look: (camera) => this.look(camera),
    drag: (active) => {
      this.dragging = active;
    },
    press: (target, x, y) => this.press(target, x, y),
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.observer = new ResizeObserver(([entry]) => {
      if (!entry || this.whole) return;
      this.size = { width: entry.contentRect.width, height: entry.contentRect.height };
      this.letters = letterSize();
      if (!this.moved) this.frameScene();
    });
    this.observer.observe(this);
    addEventListener("beforeprint", this.onPrint);
    addEventListener("afterprint", this.onPrint);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer?.disconnect();
    removeEventListener("beforeprint", this.onPrint);
    removeEventListener("afterprint", this.onPrint);
    this.stopMotion();
  }

  private readonly onPrint = ({ type }: Event): void => {
    if (!this.scene) return;
    const { camera, size } = this;
    Object.assign(this, type === "beforeprint" ? onSheet(this.scene) : this.onScreen, { leaping: true });
    this.onScreen = { camera, size };
  };

  /** The place there is for the graph; measured once, for asking a browser costs a layout of the whole page. */
  get room(): Size {
    return this.size.width > 1 ? this.size : this.getBoundingClientRect();
  }

  /** Another stage of the same size, to draw a step on. */
  double(scene: Scene, step: number): Stage {
    const { history, size, letters, follows, travel } = this;
    return Object.assign(new Stage(), { history, size, letters, follows, travel, scene, step });
  }

  /** Shows everything at full size, with this border, whatever place there is. To be called before it stands anywhere. */
  showWhole(border: number): void {
    const { width = 0, height = 0 } = this.scene ?? {};
    this.size = { width: width + 2 * border, height: height + 2 * border };
    this.camera = { x: border, y: border, scale: 1 };
    this.whole = true;
  }

  /** Shows everything. */
  fitAll(): void {
    const { scene, beside, size, letters } = this;
    // Two runs beside each other should not look as if one were larger: neither is magnified, nor larger than the other.
    const largest = beside ? showAll(beside, size, letters, 1 / letters).scale / letters : LARGEST;
    if (scene) this.camera = showAll(scene, size, letters, largest);
    this.moved = false;
  }

  /** Moves the view by a part of what is seen. */
  panTowards(side: Side): void {
    this.look(glance(this.camera, side, this.size));
  }

  /** The card that this step, or the last one before it that is about any, is about. */
  cardOfAction(): number | null {
    if (!this.history || !this.scene) return null;
    const [card] = lastFocus(this.history.trace, this.scene, this.step).cards;
    return card ?? null;
  }

  zoomBy(factor: number): void {
    this.look(zoom(this.camera, factor, this.size.width / 2, this.size.height / 2));
  }

  private look(camera: Camera): void {
    this.moved = true;
    this.leaping = false;
    this.camera = camera;
  }

  private press(target: Element, x: number, y: number): void {
    const [card, part, map, elsewhere] = ["card", "part", "map", "place"].map(
      (name) => target.closest<SVGElement>(`[data-${name}]`)?.dataset[name],
    );
    this.opening = part !== undefined ? [Number(part)] : (this.scene?.cards[Number(card)]?.parts ?? []);
    if (map !== undefined && beyond && this.scene) {
      const place = beyond.placeMinimap(this.scene, this.camera, this.size, this.step);
      if (place) this.look(beyond.lookAt(place, this.camera, this.size, x, y));
    } else if (elsewhere !== undefined) {
      const [x = 0, y = 0] = elsewhere.split(" ").map(Number);
      this.look(centre(this.camera, { x, y }, this.size));
    } else if (part !== undefined) this.dispatchEvent(new CustomEvent<number>("toggle-part", { detail: Number(part) }));
    else
      this.dispatchEvent(
        new CustomEvent<number | null>("select-card", { detail: card === undefined ? null : Number(card) }),
      );
  }

  /** Shows everything while it can be read, else the beginning, and then follows the action; in the size `before`, if it can. */
  private frameScene(before = 0): void {
    if (!this.scene) return;
    this.fitAll();
    const { size, letters } = this;
    // Beside another run the whole says more than the letters do.
    const least = leastWhole(this.letters) * (this.marks ? 0.5 : 1);
    const open = this.camera.scale < least ? openPart(this.scene) : null;
    if (open) this.camera = showPart(open, size, letters);
    this.camera =
      this.camera.scale < least ? showStart(this.scene, size, letters, before) : noLarger(this.camera, before, size);
    this.followAction();
  }

  private followAction(): void {
    if (!this.follows || !this.scene || !this.history || this.size.width <= 1) return;
    const { cards, thread } = lastFocus(this.history.trace, this.scene, this.step);
    // Where a message arrives, and where it comes from if there is room for both.
    const acting = [...cards, this.scene.threads[thread]?.to ?? -1].flatMap((index) => this.scene?.cards[index] ?? []);
    this.bringIntoView(this.scene, acting);
  }

  private bringIntoView(scene: Scene, cards: readonly PlacedCard[]): void {
    const place = together(cards, this.camera, this.size);
    if (!place) return;
    const next = follow(this.camera, place, scene, this.size);
    this.leaping = !near(this.camera, next, this.size);
    this.camera = next;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("step")) this.shownBefore = changed.get("step") ?? this.step;
    if (changed.has("history") && this.history && this.scene) activityOf(this.history, this.scene.program);
    if (changed.has("scene") && this.scene) {
      const last = changed.has("history") || this.moved ? null : changed.get("scene");
      const before = last && openPart(last) ? this.camera.scale : 0;
      this.shownBefore = this.step;
      this.threads = prepareThreads(this.scene);
      this.moved = false;
      if (!this.whole) this.frameScene(before);
      const { scene, opening } = this;
      const inside = (part: number): boolean => opening.includes(part);
      if (opening.length > 0)
        this.bringIntoView(
          scene,
          scene.cards.filter((card) => [...card.parts, ...(scene.program.paths[card.scope] ?? [])].some(inside)),
        );
      this.opening = [];
      // Where another graph stands, there is no way for the eye to follow.
      this.leaping = true;
    } else if (changed.has("step")) {
      this.followAction();
    }
    if (beyond === null && this.scene && this.reaches(this.scene)) void loadBeyond().then(() => this.requestUpdate());
  }

  /** Whether the graph is larger than the stage, or was made much smaller to fit it. */
  private reaches(scene: Scene): boolean {
    return isDistant(this.camera, this.letters) || exceeds(scene, this.camera, this.size);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has("travel")) {
      this.style.setProperty("--travel", `${this.travel * 0.85}ms`);
      this.style.setProperty("--delivery", `${DELIVERY * 0.7}ms`);
    }
    if (!changed.has("step")) return;
    this.stopMotion();
    if (this.step > this.shownBefore && !stillness()) this.setInMotion();
  }

  private setInMotion(): void {
    const world = this.renderRoot.querySelector<SVGGElement>(".world");
    const { scene, threads, shownBefore, travel } = this;
    const event = this.history?.trace.steps[this.step];
    if (world && scene) this.motions = choreograph({ world, scene, threads, event, shownBefore, travel });
  }

  /** Where messages can rest on threads that are there at a step. */
  private restsOfMessages(step: number): Point[] {
    return this.threads.flatMap(({ node, step: made, walk, rest }) =>
      node !== null && made <= step ? [walk.at(rest)] : [],
    );
  }

  private stopMotion(): void {
    for (const motion of this.motions) motion.stop();
    this.motions = [];
  }

  protected override render() {
    const { history, scene, step, shownBefore } = this;
    if (!history || !scene) return nothing;
    const pass = currentPass(history, step);
    const focus = focusOf(history.trace, scene, step);
    const { camera, size } = this;
    const view = viewOf(camera, size, this.leaping);
    const cards = scene.cards
      .map((card, index) => ({ card, index }))
      .filter(({ card }) => card.step <= step && shows(view, card));
    const parts = scene.parts.filter((part) => part.boxes.some((box) => shows(view, box)));
    const threads = this.threads
      .map((thread, index) => ({ thread, index }))
      .filter(({ thread }) => thread.step <= step && shows(view, thread.bounds));
    const appears = (since: number): string => (since > shownBefore ? "fresh" : "");
    const { x, y, scale } = camera;
    const distant = isDistant(camera, this.letters);
    const draw = (distant && beyond?.drawDistant) || drawCard;
    const rests = this.restsOfMessages(step);
    const seen = { left: -x / scale, right: (size.width - x) / scale, magnified: distant ? MAGNIFIED : 1 };
    return html`<svg role="img" aria-label=${`Graph at step ${step + 1}: ${scene.cards.filter((card) => card.step <= step).length} of ${scene.cards.length} cards shown`}
      class="${this.dragging || this.leaping ? "still" : ""} ${distant ? "distant" : ""}"
      viewBox="0 0 ${size.width} ${size.height}"
      @wheel=${this.gestures.onWheel} @pointerdown=${this.gestures.onDown} @dblclick=${this.fitAll}>
      <g class="world" ${styled({ transform: `translate(${x}px, ${y}px) scale(${scale})` })}>
        ${repeat(
          parts,
          (part) => part.scope,
          (part) => drawHull(scene, part, step),
        )}
        ${repeat(
          threads,
          ({ index }) => index,
          ({ thread, index }) => svg`<g class=${appears(thread.step)}>${drawLine(thread, index === focus.thread)}</g>`,
        )}
        ${threads.map(({ thread }) => drawCut(thread))}
        ${repeat(
          parts,
          (part) => part.scope,
          (part) => drawPartTitle(scene, part, step),
        )}
        ${repeat(
          cards,
          ({ index }) => index,
          ({
            card,
            index,
          }) => svg`<g class="card ${card.kind} ${focus.cards.has(index) ? "now" : ""} ${this.selected === index ? "selected" : ""} ${appears(card.step)}" data-card=${index} transform="translate(${card.x} ${card.y})">
            ${card.tensor === null ? nothing : svg`<title>${describeTensor(history.trace, card.tensor)}</title>`}
            <g class="card-body">
              <rect class="halo" x="-5" y="-5" width=${card.width + 10} height=${card.height + 10} rx=${card.kind === "leaf" ? 27 : 11}/>
              ${draw({ history, program: scene.program, step, pass }, card)}
              ${(this.marks && beyond?.drawDifference(card, this.marks(card), rests, seen.magnified)) ?? nothing}
            </g>
          </g>`,
        )}
        ${repeat(
          threads,
          ({ index }) => index,
          ({ thread, index }) => drawMessage(history, thread, step, pass, index),
        )}
        ${keyed(step, drawCallout(scene, rests, history.trace.steps[step], seen))}
      </g>
      ${beyond?.drawMinimap(scene, camera, size, step, focus) ?? nothing}
    </svg>`;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "backplay-stage": Stage;
  }
}
