const KEY = "easel-dev-bar";

/** Reads whether the bar is folded, from the storage of the origin. A page may have no storage. */
export function readFold(): boolean {
  try {
    return localStorage.getItem(KEY) === "folded";
  } catch {
    return false;
  }
}

/** Stores whether the bar is folded. */
export function writeFold(isFolded: boolean): void {
  try {
    if (isFolded) localStorage.setItem(KEY, "folded");
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage, the bar is folded until the next page only.
  }
}
