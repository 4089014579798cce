import { type Camera, pan, zoom } from "./camera";

/** Movement below this, in pixels, is a press and not a drag. */
const SLACK = 5;

/** What the stage offers to a pointer. */
export interface Held {
  camera(): Camera;
  look(camera: Camera): void;
  drag(active: boolean): void;
  /** A press without movement, on the element under the pointer. */
  press(target: Element, x: number, y: number): void;
}

/** Drags, pinches and zooms with a wheel: one finger or the mouse moves the view, two fingers zoom it. */
export class Gestures {
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private travelled = 0;

  constructor(
    private readonly surface: HTMLElement,
    private readonly held: Held,
  ) {}

  readonly onWheel = (event: WheelEvent): void => {
    // A plain wheel scrolls the page; with Ctrl or Cmd, as a trackpad's pinch sends it, it zooms.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { x, y } = this.place(event);
    this.held.look(zoom(this.held.camera(), Math.exp(-event.deltaY * 0.004), x, y));
  };

  readonly onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    if (this.pointers.size === 0) this.travelled = 0;
    this.pointers.set(event.pointerId, this.place(event));
    window.addEventListener("pointermove", this.onMove);
    window.addEventListener("pointerup", this.onUp);
    window.addEventListener("pointercancel", this.onUp);
  };

  private readonly onMove = (event: PointerEvent): void => {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.place(event);
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.pointers.set(event.pointerId, now);
    this.travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (this.travelled < SLACK) return;
    this.held.drag(true);
    if (!other) {
      this.held.look(pan(this.held.camera(), now.x - before.x, now.y - before.y));
      return;
    }
    const spread = (point: { x: number; y: number }): number =>
      Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    // What is between the fingers stays between them, also when both move on together.
    const taken = pan(this.held.camera(), (now.x - before.x) / 2, (now.y - before.y) / 2);
    this.held.look(zoom(taken, spread(now) / spread(before), (now.x + other.x) / 2, (now.y + other.y) / 2));
  };

  private readonly onUp = (event: PointerEvent): void => {
    const at = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (this.pointers.size > 0) return;
    window.removeEventListener("pointermove", this.onMove);
    window.removeEventListener("pointerup", this.onUp);
    window.removeEventListener("pointercancel", this.onUp);
    this.held.drag(false);
    const target = event.composedPath()[0];
    if (at && event.type === "pointerup" && this.travelled < SLACK && target instanceof Element)
      this.held.press(target, at.x, at.y);
  };

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.surface.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
