/** Speeds a person can choose; 1 is meant for reading along. */
export const SPEEDS: readonly number[] = [0.5, 1, 2, 4];

/** How long one stop stays at speed 1, in milliseconds: time to read its sentence. */
const BEAT = 1400;

export const beatLength = (speed: number): number => BEAT / speed;

/** The next speed up (+1) or down (−1), staying within the list. */
export function changeSpeed(speed: number, direction: 1 | -1): number {
  const index = SPEEDS.indexOf(speed) + direction;
  return SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, index))] ?? 1;
}

/** How long a message travels at a speed, in milliseconds; never longer than most of a beat. */
export const travelTime = (speed: number): number => Math.min(400, BEAT * 0.55) / Math.max(1, speed);
