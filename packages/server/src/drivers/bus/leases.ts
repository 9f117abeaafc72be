import { LEASE_MS } from "./bus.ts";

/** Maps the leases of nodes to the times at which they expire. */
export class Leases {
  readonly #expiresAt = new Map<string, number>();

  /** Whether a lease has been renewed and has not expired since. */
  isLive(lease: string, now: number): boolean {
    return now < (this.#expiresAt.get(lease) ?? Number.NEGATIVE_INFINITY);
  }

  /** Removes the leases that have expired. Returns whether there were any. */
  removeExpired(now: number): boolean {
    const known = this.#expiresAt.size;
    for (const [lease, expiresAt] of this.#expiresAt) if (expiresAt <= now) this.#expiresAt.delete(lease);
    return this.#expiresAt.size < known;
  }

  renew(lease: string, now: number): void {
    this.#expiresAt.set(lease, now + LEASE_MS);
  }
}
