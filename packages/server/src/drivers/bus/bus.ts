import type { Member } from "@easel/protocol/realtime";

/** Classes of requests that are counted separately. Many requests of one class never remove the buckets of another class. */
export type RateClass =
  | "canvas" //       runtime API, per person and canvas
  | "anonymous" //    runtime API without a session, per network and canvas
  | "ai" //           AI requests to the runtime API, per person
  | "connection" //   requests through Connections, per caller, canvas and profile
  | "connection.profile" // requests through one profile
  | "connection.day" // requests of a day by a limited grant, per guest or visitor, canvas and profile
  | "management" //   `/api`, per person
  | "foreign" //      requests from pages of other origins or canvases, per caller and kind of request
  | "login" //        attempts to sign in, per network
  | "program" //      requests of programs to the endpoints of OAuth, per network and endpoint
  | "handover" //     requests for the cookie of a canvas host, per session
  | "gate" //         attempts at canvas passwords, per network
  | "gate.person" //  attempts at canvas passwords, per person
  | "ask" //          requests for access by mail, per person
  | "gate.canvas"; // wrong passwords without a session, per canvas

/** Identifies a rate-limit bucket: a class of requests, an owner such as a person or network, and optionally a part such as a canvas. */
export interface Bucket {
  rateClass: RateClass;
  owner: string;
  /** Which requests of the owner this bucket counts, for example those to the canvas with this slug. The default is `SHARED_PART`. */
  part?: string;
}

/** The value of `part` for requests that share one bucket of their owner. */
export const SHARED_PART = "";

/**
 * The maximum number of different parts, such as canvases, for which one owner has buckets of a class at a time. All further parts share
 * one bucket. No person uses 250 canvases in a minute, and requests for made-up slugs cannot fill the memory.
 */
export const MAX_PARTS = 250;

/** The result of taking a token from a rate-limit bucket. */
export interface Taken {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** How many requests the bucket has refused in its window, this one included. */
  refused: number;
  /** Milliseconds until the bucket is full again. */
  resetMs: number;
}

/** The time in milliseconds after which the lease of a node expires, unless the node renews it. */
export const LEASE_MS = 10_000;

/** The result of renewing a lease. */
export interface Renewal {
  /**
   * False if the lease is new or had expired. In this case the bus has removed the holders of places and the members of topics that were
   * added under the lease.
   */
  kept: boolean;
  /**
   * Members who became absent from a topic because the lease of their last connection there had expired. Each of them is returned to only
   * one caller of `renewLease`.
   */
  departed: { topic: string; member: Member }[];
}

/** One of the holders of a place, under the lease of its node. The holders of one owner, such as a person, count together. */
export interface Holder {
  id: string;
  owner: string;
  lease: string;
}

/** The maximum number of holders of a place. */
export interface PlaceLimits {
  all: number;
  /** That of each owner. */
  each: number;
}

/** Whether a holder has a place. If not: whether its owner has as many holders there as allowed (`owner full`), or only all together. */
export type HoldOutcome = "held" | "full" | "owner full";

/** An owner of holders of a place, and how many of them it has there. */
export interface Owner {
  owner: string;
  holders: number;
}

/**
 * Shares rate limits, messages, places and presence among the nodes of a service. Stores nothing durably.
 *
 * A place is a name with a limited number of holders. For example, a canvas is a place, and its connections are the holders. Each holder of
 * a place and each connection of a member belongs to a lease, an id that a node keeps renewing. If a lease is not renewed for `LEASE_MS`,
 * because the node was killed or cannot reach the bus, its holders lose their places and its members become absent (decision 023).
 *
 * A bus that other nodes share may be away. Its methods then throw `Unavailable` within about a second (decision 080).
 */
export interface Bus {
  /** Whether several processes can share it. */
  readonly isShared: boolean;
  /**
   * Takes a token from a rate-limit bucket, which has `limit` tokens in every window of `windowMs` milliseconds. The bus measures the time by
   * one clock for all nodes; setting that clock never makes a window longer.
   */
  take(bucket: Bucket, limit: number, windowMs: number): Promise<Taken>;
  /** Returns a token to a bucket, unless the window in which it was taken is over. */
  giveBack(bucket: Bucket): Promise<void>;
  /** Sends a message to the listeners of a topic on every node. If a listener throws, the others still receive the message. */
  publish(topic: string, message: string): Promise<void>;
  /**
   * Adds a listener to a topic. Resolves when messages that any node publishes reach the listener. The result is a function that removes
   * the listener.
   */
  subscribe(topic: string, listener: (message: string) => void): Promise<() => Promise<void>>;
  /**
   * Whether a node may be listening to a topic. If false, the caller need not publish. Once `subscribe` has resolved on one node, the
   * result is true on all nodes; a driver that cannot find out always returns true.
   */
  hasListeners(topic: string): boolean;
  /**
   * Calls `listener` when messages may not have reached this node, because this node or the one that published them had lost its connection.
   * `isMissed` returns whether messages of a topic may be among them. The bus delivers nothing between the time at which messages reach the
   * node again and this call. Returns a function that ends this.
   */
  onMissed(listener: (isMissed: (topic: string) => boolean) => void): () => void;
  /** Starts or extends a lease. Also removes the holders of places and the members of topics whose leases have expired. */
  renewLease(lease: string): Promise<Renewal>;
  /**
   * Adds a holder to a place, unless it already has as many other holders as one of the limits allows.
   *
   * @throws Unavailable also while the node has found the bus again and has not renewed its lease yet
   */
  hold(place: string, holder: Holder, limits: PlaceLimits): Promise<HoldOutcome>;
  /** Removes the holder with this id from a place. */
  release(place: string, holder: string): Promise<void>;
  /** Returns the owners of the holders of a place, those with the most holders first. */
  holders(place: string): Promise<Owner[]>;
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
