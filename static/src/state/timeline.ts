/** That a slot changed at a step. */
export type Change = readonly [slot: number, step: number];

/**
 * When each of many slots (a leaf's `.grad`, a saved tensor, an edge) changed, as two flat columns.
 *
 * What a slot holds at a step is decided by the last event that touched it, so any step can be drawn alone, in any order,
 * with one binary search per slot: going back is the same as never having gone forward.
 */
export class Timeline {
  private constructor(
    private readonly starts: Int32Array,
    private readonly steps: Int32Array,
  ) {}

  /** Builds from changes given in step order. */
  static from(slotCount: number, changes: readonly Change[]): Timeline {
    const starts = new Int32Array(slotCount + 1);
    for (const [slot] of changes) starts[slot + 1] = (starts[slot + 1] ?? 0) + 1;
    for (let slot = 0; slot < slotCount; slot++) starts[slot + 1] = (starts[slot + 1] ?? 0) + (starts[slot] ?? 0);
    const next = starts.slice();
    const sorted = new Int32Array(changes.length);
    for (const [slot, step] of changes) {
      sorted[next[slot] ?? 0] = step;
      next[slot] = (next[slot] ?? 0) + 1;
    }
    return new Timeline(starts, sorted);
  }

  /** The last step up to and including `step` that changed the slot, or −1 when none has. */
  at(slot: number, step: number): number {
    const count = this.count(slot, step);
    return count > 0 ? (this.steps[(this.starts[slot] ?? 0) + count - 1] ?? -1) : -1;
  }

  /** Every step that changes the slot, in order. */
  changes(slot: number): Int32Array {
    return this.steps.subarray(this.starts[slot] ?? 0, this.starts[slot + 1] ?? 0);
  }

  /** How often the slot has changed up to and including `step`. */
  count(slot: number, step: number): number {
    const start = this.starts[slot] ?? 0;
    let [low, high] = [start, this.starts[slot + 1] ?? start];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.steps[middle] ?? 0) <= step) low = middle + 1;
      else high = middle;
    }
    return low - start;
  }
}
