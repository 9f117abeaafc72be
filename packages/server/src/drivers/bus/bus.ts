import type { Member } from "@easel/protocol/realtime";

/** Kinds of requests that are counted apart: a flood of one kind never evicts the buckets of another. */
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

/** Identifies a rate-limit bucket: one class, one owner (a person or network), one part, such as a canvas. */
export interface Bucket {
  rateClass: RateClass;
  /** A person, a network, a session or a canvas. */
  owner: string;
  /** `SHARED_PART` where it is left out. */
  part?: string;
}

/** An owner's bucket for everything that has none of its own. */
export const SHARED_PART = "";

/**
 * The most live buckets that an owner has in a class; parts past that share one. It is more than the canvases that a person uses in a
 * minute, and keeps one person's made-up slugs from filling the memory.
 */
export const MOST_PARTS = 250;

/** What is left of a bucket after taking from it. */
export interface Taken {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Milliseconds until the bucket is full again. */
  resetMs: number;
}

/** What nodes tell each other and count together. Nothing here outlives the service. */
export interface Bus {
  /** Takes one of `limit` that a bucket gives every `windowMs`. Time is measured by a clock that nobody sets. */
  take(bucket: Bucket, limit: number, windowMs: number): Promise<Taken>;
  /** Puts one that was taken back into a bucket, unless its window is over. */
  giveBack(bucket: Bucket): Promise<void>;
  /** Tells every listener of a topic, on every node; one that throws keeps the message from nobody else. */
  publish(topic: string, message: string): Promise<void>;
  /** Listens to a topic; answers a function that stops. */
  subscribe(topic: string, listener: (message: string) => void): Promise<() => Promise<void>>;
  /** Takes one of `limit` places for a holder; false when all of them are taken by others. */
  hold(place: string, limit: number, holder: string): Promise<boolean>;
  /** Gives the place back. */
  release(place: string, holder: string): Promise<void>;
  /** Says that a connection of a member is on a topic; true when it is the member's first there. */
  join(topic: string, member: Member, connection: string): Promise<boolean>;
  /** Says that it no longer is; true when it was the member's last there. */
  leave(topic: string, member: string, connection: string): Promise<boolean>;
  /** Who is on a topic, each once, in the order of their coming. */
  members(topic: string): Promise<Member[]>;
  close(): Promise<void>;
}
