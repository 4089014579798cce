/** A lesson's remark on a piece of the snippet, found by its source text so that it survives edits. */
export interface Note {
  readonly on: string;
  /** Which of several equal pieces of text, from 1; null when there is only one. */
  readonly occurrence: number | null;
  readonly text: string;
}

/** Reads the notes that a page put beside the snippet. */
export function readNotes(host: Element): Note[] {
  const text = host.querySelector('script[type="application/json"].notes')?.textContent;
  return text ? (JSON.parse(text) as Note[]) : [];
}
