import { LIMITS } from "@easel/protocol/limits";

const WINDOW_MS = 60_000;
const OTHERS = LIMITS.framesPerMinute.value;

/** Frames past the limits that a connection may send in one window before it is closed. */
const MAX_REFUSED = 1_000;

/**
 * Counts the frames of a connection in windows of a minute. `publishes` frames may publish. Of all other kinds, 600 are allowed, or
 * six times as many as publishes where that is more.
 */
export class RateMeter {
  readonly #mostPublishes: number;
  readonly #mostOthers: number;
  #endsAt = 0;
  #publishes = 0;
  #others = 0;

  constructor(publishes: number) {
    this.#mostPublishes = publishes;
    this.#mostOthers = Math.max(OTHERS, publishes * (OTHERS / LIMITS.publishesPerMinute.value));
  }

  /** Counts a frame. Returns `flood` once so many were refused in this window that the connection is to be closed. */
  count(kind: "publish" | "other", now: number): "allowed" | "refused" | "flood" {
    // A clock that is set back must not extend a window.
    if (now >= this.#endsAt || now < this.#endsAt - WINDOW_MS) {
      this.#endsAt = now + WINDOW_MS;
      this.#publishes = 0;
      this.#others = 0;
    }
    const allowed =
      kind === "publish" ? ++this.#publishes <= this.#mostPublishes : ++this.#others <= this.#mostOthers;
    if (allowed) return "allowed";
    const refused =
      Math.max(0, this.#publishes - this.#mostPublishes) + Math.max(0, this.#others - this.#mostOthers);
    return refused > MAX_REFUSED ? "flood" : "refused";
  }
}
