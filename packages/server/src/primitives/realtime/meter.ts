import { LIMITS } from "@easel/protocol/limits";

const WINDOW_MS = 60_000;

/** How many frames past a limit a connection may send in one window before it is closed. */
const PATIENCE = 1_000;

/** What a connection may still send: so many frames to publish, and so many of all other kinds, a minute. */
export class Meter {
  #endsAt = 0;
  #publishes = 0;
  #others = 0;

  /** Counts a frame; `flood` is said once too many were too many. */
  count(kind: "publish" | "other", now: number): "allowed" | "refused" | "flood" {
    // A clock that is set back must not make a window longer.
    if (now >= this.#endsAt || now < this.#endsAt - WINDOW_MS) {
      this.#endsAt = now + WINDOW_MS;
      this.#publishes = 0;
      this.#others = 0;
    }
    const publishes = LIMITS.publishesPerMinute.value;
    const others = LIMITS.framesPerMinute.value;
    const allowed = kind === "publish" ? ++this.#publishes <= publishes : ++this.#others <= others;
    if (allowed) return "allowed";
    const refused = Math.max(0, this.#publishes - publishes) + Math.max(0, this.#others - others);
    return refused > PATIENCE ? "flood" : "refused";
  }
}
