/** What a person chose or wrote, kept in their own browser so that it survives a reload. */

const PREFIX = "backplay.";

export function loadChoice(key: string): string | null {
  return quietly(() => localStorage.getItem(PREFIX + key), null);
}

/** Null forgets. */
export function saveChoice(key: string, value: string | null): void {
  quietly(
    () => (value === null ? localStorage.removeItem(PREFIX + key) : localStorage.setItem(PREFIX + key, value)),
    undefined,
  );
}

/** Storage may be forbidden (private windows, embedded frames); what cannot be kept is no reason to fail. */
function quietly<T>(action: () => T, otherwise: T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof DOMException) return otherwise;
    throw error;
  }
}
