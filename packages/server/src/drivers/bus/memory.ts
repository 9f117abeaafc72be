import type { Member } from "@easel/protocol/realtime";
import type { Bus } from "./bus.ts";

interface Bucket {
  taken: number;
  resetAt: number;
}

/** A member with the connections that they have. */
interface Present {
  member: Member;
  connections: Set<string>;
}

/**
 * The bus of a single node. At most `maxBuckets` buckets are kept: past that the oldest one goes, so that a flood of new
 * keys costs bounded memory and never locks anyone out.
 */
export function memory(clock: () => number = Date.now, maxBuckets = 100_000): Bus {
  const buckets = new Map<string, Bucket>();
  const topics = new Map<string, Set<(message: string) => void>>();
  const places = new Map<string, Set<string>>();
  const presence = new Map<string, Map<string, Present>>();

  function bucket(key: string, now: number, windowMs: number): Bucket {
    const known = buckets.get(key);
    if (known !== undefined && known.resetAt > now) return known;
    // Put back at the end, so that the map stays in the order of age.
    buckets.delete(key);
    if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value as string);
    const fresh = { taken: 0, resetAt: now + windowMs };
    buckets.set(key, fresh);
    return fresh;
  }

  return {
    async take(key, limit, windowMs) {
      const now = clock();
      const from = bucket(key, now, windowMs);
      const allowed = from.taken < limit;
      if (allowed) from.taken++;
      return { allowed, limit, remaining: limit - from.taken, resetMs: from.resetAt - now };
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
      buckets.clear();
      topics.clear();
    },
  };
}
