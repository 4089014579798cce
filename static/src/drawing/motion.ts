/** Eased in and out: starts and lands gently (Penner's cubic). */
const ease = (t: number): number => (t < 0.5 ? 4 * t ** 3 : 1 - (-2 * t + 2) ** 3 / 2);

/** One running movement. Stopping it jumps to its end, so that an interrupted picture is still a true one. */
export interface Motion {
  stop(): void;
}

/** Calls `draw` with an eased share from 0 to 1 after `delay` milliseconds, over `duration` milliseconds. */
export function move(duration: number, delay: number, draw: (share: number) => void): Motion {
  let frame = 0;
  let start: number | null = null;
  const tick = (now: number) => {
    start ??= now;
    const share = Math.min(1, Math.max(0, (now - start - delay) / duration));
    draw(ease(share));
    if (share < 1) frame = requestAnimationFrame(tick);
  };
  draw(0);
  frame = requestAnimationFrame(tick);
  return {
    stop() {
      cancelAnimationFrame(frame);
      draw(1);
    },
  };
}

/** Whether the person asked for less movement. */
export const stillness = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
