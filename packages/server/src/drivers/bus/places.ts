/**
 * Records which holders have which places. A place is a name that a limited number of holders can have at a time, such as `realtime
 * {canvasId}`, which the connections to a canvas have. A holder counts while `isLive` returns true for its lease.
 */
export class Places {
  readonly #places = new Map<string, Map<string, string>>();
  readonly #isLive: (lease: string) => boolean;

  constructor(isLive: (lease: string) => boolean) {
    this.#isLive = isLive;
  }

  hold(place: string, limit: number, holder: string, lease: string): boolean {
    const holders = this.#places.get(place) ?? new Map<string, string>();
    let others = 0;
    for (const [other, theirs] of holders) if (other !== holder && this.#isLive(theirs)) others++;
    if (others >= limit) return false;
    this.#places.set(place, holders.set(holder, lease));
    return true;
  }

  release(place: string, holder: string): void {
    const holders = this.#places.get(place);
    if (holders?.delete(holder) && holders.size === 0) this.#places.delete(place);
  }

  /** Removes the holders whose leases have expired. */
  removeExpired(): void {
    for (const [place, holders] of this.#places)
      for (const [holder, lease] of holders) if (!this.#isLive(lease)) this.release(place, holder);
  }
}
