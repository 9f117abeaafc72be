import type { Member } from "@easel/protocol/realtime";
import { Buckets } from "./buckets.ts";
import type { Bus, RateClass } from "./bus.ts";

/** A member with the connections that they have. */
interface Present {
  member: Member;
  connections: Set<string>;
}

/** The bus of a single node. Keeps at most `mostBuckets` buckets of each rate class. */
export function memory(clock: () => number = () => performance.now(), mostBuckets = 100_000): Bus {
  const classes = new Map<RateClass, Buckets>();
  const topics = new Map<string, Set<(message: string) => void>>();
  const places = new Map<string, Set<string>>();
  const presence = new Map<string, Map<string, Present>>();

  function bucketsOf(rateClass: RateClass): Buckets {
    const known = classes.get(rateClass);
    if (known !== undefined) return known;
    const buckets = new Buckets(mostBuckets);
    classes.set(rateClass, buckets);
    return buckets;
  }

  return {
    async take(bucket, limit, windowMs) {
      return bucketsOf(bucket.rateClass).take(bucket, limit, windowMs, clock());
    },

    async giveBack(bucket) {
      bucketsOf(bucket.rateClass).giveBack(bucket, clock());
    },

    async publish(topic, message) {
      const faults: unknown[] = [];
      for (const listener of topics.get(topic) ?? []) {
        try {
          listener(message);
        } catch (fault) {
          faults.push(fault);
        }
      }
      if (faults.length > 0) throw new AggregateError(faults, `listeners of ${topic} failed`);
    },

    async subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set();
      topics.set(topic, listeners.add(listener));
      return async () => {
        listeners.delete(listener);
        if (listeners.size === 0 && topics.get(topic) === listeners) topics.delete(topic);
      };
    },

    async hold(place, limit, holder) {
      const holders = places.get(place) ?? new Set();
      if (holders.size >= limit && !holders.has(holder)) return false;
      places.set(place, holders.add(holder));
      return true;
    },

    async release(place, holder) {
      const holders = places.get(place);
      if (holders?.delete(holder) && holders.size === 0) places.delete(place);
    },

    async join(topic, member, connection) {
      const present = presence.get(topic) ?? new Map<string, Present>();
      const known = present.get(member.id) ?? { member, connections: new Set() };
      presence.set(topic, present.set(member.id, known));
      known.connections.add(connection);
      return known.connections.size === 1;
    },

    async leave(topic, member, connection) {
      const present = presence.get(topic);
      const connections = present?.get(member)?.connections;
      if (!connections?.delete(connection) || connections.size > 0) return false;
      present?.delete(member);
      if (present?.size === 0) presence.delete(topic);
      return true;
    },

    async members(topic) {
      return Array.from(presence.get(topic)?.values() ?? [], ({ member }) => member);
    },

    async close() {
      places.clear();
      presence.clear();
      classes.clear();
      topics.clear();
    },
  };
}
