import type { Member } from "@easel/protocol/realtime";
import { Buckets } from "./buckets.ts";
import {
  type Bus,
  type Holder,
  type HoldOutcome,
  LEASE_MS,
  type Owner,
  type PlaceLimits,
  type RateClass,
  type Renewal,
} from "./bus.ts";

/** Maps the leases of nodes to the times at which they expire. */
class Leases {
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

/**
 * Records which holders have which places. A place is a name that a limited number of holders can have at a time, such as `realtime
 * {canvasId}`, which the connections to a canvas have. A holder counts while `isLive` returns true for its lease.
 */
class Places {
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

/**
 * A member who is present on a topic (a channel of a canvas). `connections` maps the id of each of the member's connections to the id of
 * the lease of its node. When a node stops renewing its lease, its connections no longer count.
 */
interface Present {
  member: Member;
  connections: Map<string, string>;
}

/** Keeps the members who are present on each topic, for the bus of a single node. `isLive` returns true while a lease has not expired. */
class Presence {
  readonly #topics = new Map<string, Map<string, Present>>();
  readonly #isLive: (lease: string) => boolean;

  constructor(isLive: (lease: string) => boolean) {
    this.#isLive = isLive;
  }

  join(topic: string, member: Member, connection: string, lease: string): boolean {
    const present = this.#topics.get(topic) ?? new Map<string, Present>();
    const known = present.get(member.id) ?? { member, connections: new Map<string, string>() };
    const isFirst = known.connections.size === 0;
    this.#topics.set(topic, present.set(member.id, known));
    known.connections.set(connection, lease);
    return isFirst;
  }

  leave(topic: string, member: string, connection: string): boolean {
    const present = this.#topics.get(topic);
    const connections = present?.get(member)?.connections;
    if (!connections?.delete(connection) || connections.size > 0) return false;
    present?.delete(member);
    if (present?.size === 0) this.#topics.delete(topic);
    return true;
  }

  members(topic: string): Member[] {
    const members: Member[] = [];
    for (const { member, connections } of this.#topics.get(topic)?.values() ?? [])
      if (connections.values().some(this.#isLive)) members.push(member);
    return members;
  }

  /** Removes the connections whose leases have expired. Returns the members who have no connection left on a topic. */
  removeExpired(): Renewal["departed"] {
    const departed: Renewal["departed"] = [];
    for (const [topic, present] of this.#topics)
      for (const { member, connections } of present.values())
        for (const [connection, lease] of connections)
          if (!this.#isLive(lease) && this.leave(topic, member.id, connection))
            departed.push({ topic, member });
    return departed;
  }
}

/** Creates a bus for a single process, in memory. Keeps at most `maxBuckets` rate-limit buckets for each rate class. */
export function memory(clock: () => number = () => performance.now(), maxBuckets = 100_000): Bus {
  const classes = new Map<RateClass, Buckets>();
  const topics = new Map<string, Set<(message: string) => void>>();
  const leases = new Leases();
  const isLive = (lease: string) => leases.isLive(lease, clock());
  const places = new Places(isLive);
  const presence = new Presence(isLive);

  function bucketsOf(rateClass: RateClass): Buckets {
    const known = classes.get(rateClass);
    if (known !== undefined) return known;
    const buckets = new Buckets(maxBuckets);
    classes.set(rateClass, buckets);
    return buckets;
  }

  return {
    isShared: false,
    async take(bucket, limit, windowMs) {
      return bucketsOf(bucket.rateClass).take(bucket, limit, windowMs, clock());
    },

    async giveBack(bucket) {
      bucketsOf(bucket.rateClass).giveBack(bucket, clock());
    },

    async publish(topic, message) {
      const errors: unknown[] = [];
      for (const listener of topics.get(topic) ?? []) {
        try {
          listener(message);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw new AggregateError(errors, `listeners of ${topic} failed`);
    },

    async subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set();
      topics.set(topic, listeners.add(listener));
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
      };
    },

    hasListeners: (topic) => topics.has(topic),

    // The bus is never away, so no message is missed.
    onMissed: () => () => {},

    async renewLease(lease) {
      const now = clock();
      const kept = leases.isLive(lease, now);
      // Also removes holders and members if this lease is new, because some may have been added under it before its first renewal.
      const isStale = leases.removeExpired(now) || !kept;
      const departed = isStale ? presence.removeExpired() : [];
      if (isStale) places.removeExpired();
      leases.renew(lease, now);
      return { kept, departed };
    },

    async hold(place, holder, limits) {
      return places.hold(place, holder, limits);
    },

    async release(place, holder) {
      places.release(place, holder);
    },

    async holders(place) {
      return places.holders(place);
    },

    async join(topic, member, connection, lease) {
      return presence.join(topic, member, connection, lease);
    },

    async leave(topic, member, connection) {
      return presence.leave(topic, member, connection);
    },

    async members(topic) {
      return presence.members(topic);
    },

    async close() {
      classes.clear();
      topics.clear();
    },
  };
}
