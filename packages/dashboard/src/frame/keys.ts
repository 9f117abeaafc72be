type Place = "/" | "/new" | "/teams" | "/account";

/** What a key without a modifier does. `go` goes to a screen. */
export type KeyAct = { act: "search" } | { act: "keys" } | { act: "go"; to: Place };

/** The keys of the dashboard, as the list of keys shows them. Two keys are pressed one after the other. */
export const KEYS: readonly { keys: readonly string[]; does: string }[] = [
  { keys: ["/"], does: "Search on this screen" },
  { keys: ["g", "c"], does: "Go to your canvases" },
  { keys: ["g", "n"], does: "Make a new canvas" },
  { keys: ["g", "t"], does: "Go to your teams" },
  { keys: ["g", "a"], does: "Go to your account" },
  { keys: ["?"], does: "Show this list" },
];

/** The time within which the second key of two follows, in milliseconds. */
const SEQUENCE_MS = 1_000;

const PLACES: Record<string, Place> = { c: "/", n: "/new", t: "/teams", a: "/account" };

/** Returns a function that is called with each key and its time in milliseconds, and returns what the key does, null for nothing. */
export function keyReader(): (key: string, at: number) => KeyAct | null {
  let wentAt = Number.NEGATIVE_INFINITY;
  return (key, at) => {
    const follows = at - wentAt <= SEQUENCE_MS;
    wentAt = key === "g" ? at : Number.NEGATIVE_INFINITY;
    if (follows && Object.hasOwn(PLACES, key)) return { act: "go", to: PLACES[key] as Place };
    if (key === "/") return { act: "search" };
    return key === "?" ? { act: "keys" } : null;
  };
}
