const KEY = "easel-dev-bar";

/** Reads from `localStorage` whether the bar is folded. Returns false if the page may not use it. */
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
    // Without `localStorage`, the next page load forgets the state.
  }
}
