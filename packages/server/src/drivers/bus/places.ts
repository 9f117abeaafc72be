import type { Holder, HoldOutcome, Owner, PlaceLimits } from "./bus.ts";

/**
 * Records which holders have which places. A place is a name that a limited number of holders can have at a time, such as `realtime
 * {canvasId}`, which the connections to a canvas have. A holder counts while `isLive` returns true for its lease.
 */
export class Places {
  /** The holders of each place, by their ids. */
  readonly #places = new Map<string, Map<string, Holder>>();
  readonly #isLive: (lease: string) => boolean;

  constructor(isLive: (lease: string) => boolean) {
    this.#isLive = isLive;
  }

  hold(place: string, holder: Holder, { all, each }: PlaceLimits): HoldOutcome {
    const others = this.#live(place).filter(({ id }) => id !== holder.id);
    if (others.filter(({ owner }) => owner === holder.owner).length >= each) return "owner full";
    if (others.length >= all) return "full";
    const holders = this.#places.get(place) ?? new Map<string, Holder>();
    this.#places.set(place, holders.set(holder.id, holder));
    return "held";
  }

  release(place: string, holder: string): void {
    const holders = this.#places.get(place);
    if (holders?.delete(holder) && holders.size === 0) this.#places.delete(place);
  }

  holders(place: string): Owner[] {
    const owners = Map.groupBy(this.#live(place), ({ owner }) => owner);
    return [...owners]
      .map(([owner, { length }]) => ({ owner, holders: length }))
      .sort((a, b) => b.holders - a.holders);
  }

  /** Removes the holders whose leases have expired. */
  removeExpired(): void {
    for (const [place, holders] of this.#places)
      for (const { id, lease } of holders.values()) if (!this.#isLive(lease)) this.release(place, id);
  }

  #live(place: string): Holder[] {
    return [...(this.#places.get(place)?.values() ?? [])].filter(({ lease }) => this.#isLive(lease));
  }
}
