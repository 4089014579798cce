/** The step in the address: `#step=12` (counted from 1, as people see it). */

const KEY = "step";

export function stepFromHash(hash: string): number | null {
  const number = Number(new URLSearchParams(hash.replace(/^#/, "")).get(KEY) ?? "");
  return Number.isInteger(number) && number >= 1 ? number - 1 : null;
}

/** The same hash with another step; other keys stay. */
export function hashWithStep(hash: string, step: number): string {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  parameters.set(KEY, String(step + 1));
  return `#${parameters}`;
}
