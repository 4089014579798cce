import { html, type TemplateResult } from "lit";

const PATHS = {
  first: "M5 5v14M19 5l-9 7l9 7z",
  back: "M17 5l-10 7l10 7z",
  play: "M7 4.5l13 7.5l-13 7.5z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  next: "M7 5l10 7l-10 7z",
  last: "M19 5v14M5 5l9 7l-9 7z",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  present: "M3 5h18v12H3zM12 17v3M8 20h8",
  closer: "M12 5v14M5 12h14",
  farther: "M5 12h14",
  cross: "M6 6l12 12M18 6L6 18",
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative: the button that holds it carries the name. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="currentColor" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" stroke-linecap="round"><path d=${PATHS[name]} fill=${name === "fit" || name === "present" ? "none" : "currentColor"}></path></svg>`;
}
