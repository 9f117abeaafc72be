import type { Member } from "@easel/protocol/realtime";

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
  /** Takes one of `limit` that a bucket gives every `windowMs`. */
  take(key: string, limit: number, windowMs: number): Promise<Taken>;
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
