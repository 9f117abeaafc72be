import { type Bucket, MAX_PARTS, SHARED_PART, type Taken } from "./bus.ts";

interface Count {
  taken: number;
  refused: number;
  endsAt: number;
}

/**
 * The rate-limit buckets of one owner, such as a user. The map `parts` has a bucket for each part of the owner's requests, such as the
 * requests to one canvas. The oldest bucket is the first in the map.
 */
interface Owner {
  parts: Map<string, Count>;
  /** The time at which the last time window of the owner's buckets ends, in milliseconds of the bus's clock. */
  endsAt: number;
}

/**
 * The maximum number of owners that are removed when a bucket is created. Owners whose time windows have all ended are removed, and, if
 * there are too many buckets, also the oldest owners.
 */
const REMOVED_AT_ONCE = 2;

/**
 * Counts the requests of one rate class in fixed windows. Keeps at most `max` buckets: if there are too many, removes the owners who have
 * got no new bucket for the longest time. A flood of new owners therefore neither fills the memory nor stops the requests of other owners
 * (decision 018).
 */
export class Buckets {
  readonly #max: number;
  /** Maps names to owners, in the order in which their newest buckets were created. */
  readonly #owners = new Map<string, Owner>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  take({ owner, part = SHARED_PART }: Bucket, limit: number, windowMs: number, now: number): Taken {
    const known = this.#owners.get(owner)?.parts.get(part);
    const count =
      known !== undefined && known.endsAt > now ? known : this.#create(owner, part, now, windowMs);
    const allowed = count.taken < limit;
    if (allowed) count.taken++;
    else count.refused++;
    const { taken, refused, endsAt } = count;
    return { allowed, limit, remaining: Math.max(0, limit - taken), refused, resetMs: endsAt - now };
  }

  giveBack({ owner, part = SHARED_PART }: Bucket, now: number): void {
    const count = this.#owners.get(owner)?.parts.get(part);
    if (count !== undefined && count.endsAt > now && count.taken > 0) count.taken--;
  }

  #create(name: string, part: string, now: number, windowMs: number): Count {
    // Removes the bucket of this part, if there is one, because its window has ended.
    if (this.#owners.get(name)?.parts.delete(part)) this.#size--;
    this.#makeRoom(now);
    const owner = this.#owners.get(name) ?? { parts: new Map<string, Count>(), endsAt: 0 };
    if (part !== SHARED_PART && !this.#hasRoom(owner, now)) {
      const shared = owner.parts.get(SHARED_PART);
      return shared !== undefined && shared.endsAt > now
        ? shared
        : this.#create(name, SHARED_PART, now, windowMs);
    }
    // Moves the owner to the end of the map, which is in the order of the owners' newest buckets.
    this.#owners.delete(name);
    const count = { taken: 0, refused: 0, endsAt: now + windowMs };
    owner.parts.set(part, count);
    owner.endsAt = Math.max(owner.endsAt, count.endsAt);
    this.#owners.set(name, owner);
    this.#size++;
    return count;
  }

  /**
   * Returns whether the owner may get another bucket. If the owner already has `MAX_PARTS` buckets, removes the oldest one if its time
   * window has ended, and otherwise returns false.
   */
  #hasRoom({ parts }: Owner, now: number): boolean {
    if (parts.size < MAX_PARTS) return true;
    for (const [oldest, { endsAt }] of parts) {
      if (endsAt > now) return false;
      parts.delete(oldest);
      this.#size--;
      break;
    }
    return true;
  }

  #makeRoom(now: number): void {
    let left = REMOVED_AT_ONCE;
    for (const [name, { parts, endsAt }] of this.#owners) {
      if (left-- === 0 || (endsAt > now && this.#size < this.#max)) break;
      this.#owners.delete(name);
      this.#size -= parts.size;
    }
  }
}
