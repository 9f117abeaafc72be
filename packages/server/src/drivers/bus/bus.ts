import type { Member } from "@easel/protocol/realtime";

/** Classes of requests that are counted separately: a flood of one class never evicts the buckets of another. */
export type RateClass =
  | "canvas" //       runtime API, per person and canvas
  | "anonymous" //    the same without a session, per network and canvas
  | "ai" //           AI, per person
  | "management" //   `/api`, per person
  | "foreign" //      what pages of other origins and canvases start, per person and kind
  | "login" //        signing in, per network
  | "handover" //     cookies for canvas hosts, per session
  | "gate" //         passwords of canvases, per network
  | "gate.person" //  the same per person
  | "gate.canvas"; // wrong passwords without a session, per canvas

/** Identifies a rate-limit bucket: a class, an owner such as a person or network, and a part such as a canvas. */
export interface Bucket {
  rateClass: RateClass;
  owner: string;
  /** `SHARED_PART` by default. */
  part?: string;
}

/** The part of requests that have no bucket of their own. */
export const SHARED_PART = "";

/**
 * The maximum number of live buckets of one owner in a class; further parts share one. A person uses fewer canvases in a minute, and
 * requests for made-up slugs cannot fill the memory.
 */
export const MAX_PARTS = 250;

/** The result of taking a token from a bucket. */
export interface Taken {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Milliseconds until the bucket is full again. */
  resetMs: number;
}

/** Milliseconds for which the places and members of a node count after the node last renewed its lease. */
export const LEASE_MS = 10_000;

/** The result of renewing a lease. */
export interface Renewal {
  /** False when the lease is new or had expired: everything that was taken under it is gone. */
  kept: boolean;
  /** Members whose last connection on a topic was removed with an expired lease. Each is returned to one caller only. */
  departed: { topic: string; member: Member }[];
}

/**
 * Shares rate limits, messages, places and presence among the nodes of a service. Stores nothing durably.
 *
 * Places limit the number of holders of a name, such as the connections to a canvas. Places and members are held under the lease of a node,
 * an id that the node keeps renewing. If a lease is not renewed for `LEASE_MS`, because the node was killed or cannot reach the bus, its
 * places become free and its members absent.
 */
export interface Bus {
  /** Takes a token from a bucket, which has `limit` tokens in every window of `windowMs`. A monotonic clock measures the time. */
  take(bucket: Bucket, limit: number, windowMs: number): Promise<Taken>;
  /** Returns a token to a bucket, unless the window in which it was taken is over. */
  giveBack(bucket: Bucket): Promise<void>;
  /** Sends a message to the listeners of a topic on every node. If a listener throws, the others still receive the message. */
  publish(topic: string, message: string): Promise<void>;
  /** Adds a listener to a topic. Once messages of every node reach the listener, resolves with a function that removes it. */
  subscribe(topic: string, listener: (message: string) => void): Promise<() => Promise<void>>;
  /**
   * Returns false if no node listens to a topic, so that publishing can be skipped. A driver that does not know returns true. Once
   * `subscribe` has resolved on a node, the result is true on all nodes.
   */
  hasListeners(topic: string): boolean;
  /** Starts or extends a lease, and removes the places and members of expired leases. */
  renewLease(lease: string): Promise<Renewal>;
  /** Takes one of `limit` places for a holder, under a lease. Returns false if other holders have all of them. */
  hold(place: string, limit: number, holder: string, lease: string): Promise<boolean>;
  /** Frees the place of a holder. */
  release(place: string, holder: string): Promise<void>;
  /**
   * Adds a connection of a member to a topic, under a lease. Returns true if it is the member's first connection there. A connection with
   * an expired lease counts until `renewLease` has removed it.
   */
  join(topic: string, member: Member, connection: string, lease: string): Promise<boolean>;
  /** Removes a connection of a member from a topic. Returns true if it was the member's last connection there. */
  leave(topic: string, member: string, connection: string): Promise<boolean>;
  /** Returns the members of a topic, each once, in the order in which they joined. */
  members(topic: string): Promise<Member[]>;
  close(): Promise<void>;
}
