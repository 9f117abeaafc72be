const HOUR_MS = 60 * 60 * 1000;

/**
 * Collects in memory who uses the service, so that no request waits for it. Each person is written at most once an hour by each process, and
 * a process that is killed loses those of the last minute.
 */
export class LastSeen {
  /** When each person was last collected, in epoch milliseconds. */
  readonly #collected = new Map<string, number>();
  #pending = new Set<string>();

  note(userId: string, now: number): void {
    const last = this.#collected.get(userId);
    // Compares the absolute difference, because the clock may have been set back.
    if (last !== undefined && Math.abs(now - last) < HOUR_MS) return;
    this.#collected.set(userId, now);
    this.#pending.add(userId);
  }

  /** Returns who has been seen since the last call, and forgets people who were collected more than an hour ago. */
  take(now: number): string[] {
    for (const [userId, at] of this.#collected)
      if (Math.abs(now - at) >= HOUR_MS) this.#collected.delete(userId);
    const taken = [...this.#pending];
    this.#pending = new Set();
    return taken;
  }

  /** Adds people again whose time could not be written. */
  putBack(userIds: string[]): void {
    for (const each of userIds) this.#pending.add(each);
  }
}
