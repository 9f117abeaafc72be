import { type Bucket, MOST_PARTS, SHARED_PART, type Taken } from "./bus.ts";

interface Count {
  taken: number;
  endsAt: number;
}

/** The live buckets of an owner by part, in the order in which they began. */
interface Owner {
  parts: Map<string, Count>;
  /** When the newest of them ends. */
  endsAt: number;
}

/** How many owners whose buckets have all ended are removed when a bucket begins. */
const REMOVED_AT_ONCE = 2;

/**
 * The buckets of one rate class, in fixed windows. At most `most` are kept: past that, the owner who has begun none for the
 * longest time is forgotten, so that a flood of new owners costs bounded memory and never locks anyone out.
 */
export class Buckets {
  readonly #most: number;
  /** In the order in which they last began a bucket. */
  readonly #owners = new Map<string, Owner>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  take({ owner, part = SHARED_PART }: Bucket, limit: number, windowMs: number, now: number): Taken {
    const known = this.#owners.get(owner)?.parts.get(part);
    const count = known !== undefined && known.endsAt > now ? known : this.#begin(owner, part, now, windowMs);
    const allowed = count.taken < limit;
    if (allowed) count.taken++;
    return { allowed, limit, remaining: Math.max(0, limit - count.taken), resetMs: count.endsAt - now };
  }

  giveBack({ owner, part = SHARED_PART }: Bucket, now: number): void {
    const count = this.#owners.get(owner)?.parts.get(part);
    if (count !== undefined && count.endsAt > now && count.taken > 0) count.taken--;
  }

  #begin(name: string, part: string, now: number, windowMs: number): Count {
    // Buckets that have ended make room for the new one.
    if (this.#owners.get(name)?.parts.delete(part)) this.#size--;
    this.#makeRoom(now);
    const owner = this.#owners.get(name) ?? { parts: new Map<string, Count>(), endsAt: 0 };
    if (part !== SHARED_PART && !this.#hasRoom(owner, now)) {
      const shared = owner.parts.get(SHARED_PART);
      return shared !== undefined && shared.endsAt > now
        ? shared
        : this.#begin(name, SHARED_PART, now, windowMs);
    }
    // Put back at the end, so that the map stays in its order.
    this.#owners.delete(name);
    const count = { taken: 0, endsAt: now + windowMs };
    owner.parts.set(part, count);
    owner.endsAt = Math.max(owner.endsAt, count.endsAt);
    this.#owners.set(name, owner);
    this.#size++;
    return count;
  }

  /** Whether an owner may begin another bucket: the oldest one makes room for it if it has ended. */
  #hasRoom({ parts }: Owner, now: number): boolean {
    if (parts.size < MOST_PARTS) return true;
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
      if (left-- === 0 || (endsAt > now && this.#size < this.#most)) break;
      this.#owners.delete(name);
      this.#size -= parts.size;
    }
  }
}
