/** A lesson's remark on a piece of the snippet, found by its source text so that it survives edits. */
export interface Note {
  readonly on: string;
  /** Which of several equal pieces of text, from 1; null when there is only one. */
  readonly occurrence: number | null;
  readonly text: string;
}

/** Reads what a page put beside the snippet, as JSON, under a name. */
export function readPageData<T>(host: Element, name: string): T | null {
  const text = host.querySelector(`script[type="application/json"].${name}`)?.textContent;
  return text ? (JSON.parse(text) as T) : null;
}
