import type { Member } from "@easel/protocol/realtime";
import type { Renewal } from "./bus.ts";

/**
 * A member who is present on a topic (a channel of a canvas). `connections` maps the id of each of the member's connections to the id of
 * the lease of its node. When a node stops renewing its lease, its connections no longer count.
 */
interface Present {
  member: Member;
  connections: Map<string, string>;
}

/** Keeps the members who are present on each topic, for the bus of a single node. `isLive` returns true while a lease has not expired. */
export class Presence {
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
