/**
 * Reads a preference of this browser. In path mode, pages of canvases can write the same storage, so any value that is not one of `allowed`
 * counts as absent. Returns the first of `allowed` then.
 */
export function readPreference<Value extends string>(
  name: string,
  allowed: readonly [Value, ...Value[]],
): Value {
  let stored: string | null = null;
  try {
    stored = localStorage.getItem(`easel.${name}`);
  } catch {
    // The browser allows no storage.
  }
  return allowed.find((value) => value === stored) ?? allowed[0];
}

/** Stores a preference of this browser. Does nothing if the browser allows no storage. */
export function storePreference(name: string, value: string): void {
  try {
    localStorage.setItem(`easel.${name}`, value);
  } catch {
    // The preference holds until the page is closed.
  }
}
