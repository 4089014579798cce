/** The person's own version of a snippet, kept on their machine so that it survives a reload. */

const PREFIX = "backplay.code.";

export function loadDraft(key: string): string | null {
  return quietly(() => localStorage.getItem(PREFIX + key), null);
}

export function saveDraft(key: string, code: string, original: string): void {
  quietly(
    () => (code === original ? localStorage.removeItem(PREFIX + key) : localStorage.setItem(PREFIX + key, code)),
    undefined,
  );
}

/** Storage may be forbidden (private windows, embedded frames); a draft that cannot be kept is no reason to fail. */
function quietly<T>(action: () => T, otherwise: T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof DOMException) return otherwise;
    throw error;
  }
}
