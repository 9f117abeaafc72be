import type { ChannelPolicy } from "@easel/protocol/policy";
import type { CanvasRole } from "@easel/protocol/types";
import { failure, join, leave, message, presence, subscribed } from "./frame.ts";
import type { User } from "./room.ts";
import type { Frame } from "./socket.ts";

/** A right on a channel. */
export type Right = keyof ChannelPolicy;

/** All rights on a channel, in the order in which a policy document lists them. */
export const RIGHTS = [
  "subscribe",
  "publish",
  "seePresence",
  "participatePresence",
] as const satisfies Right[];

/** A channel policy that gives every right to everyone with access to the canvas. */
export const OPEN: ChannelPolicy = {
  subscribe: "viewers",
  publish: "viewers",
  seePresence: "viewers",
  participatePresence: "viewers",
};

/** Returns the policy of a channel that the policy document does not name (specification 5). */
export function usual(channel: string): ChannelPolicy {
  return channel.startsWith("participants:") ? OPEN : { ...OPEN, publish: "editors" };
}

/** Whether a role has a right. */
export function may(policy: ChannelPolicy, right: Right, role: CanvasRole): boolean {
  const audience = policy[right];
  return audience === "viewers" || (audience === "editors" && role !== "viewer");
}

/** A person with a connection to a canvas, and their role on it. */
export interface Actor extends User {
  role: CanvasRole;
}

/** One action of a person on a channel. `by` is the index of the person. */
export interface Act {
  by: number;
  type: "subscribe" | "publish" | "presence" | "unsubscribe";
}

/**
 * Returns the actions of `actors` people in five rounds. In the first round, every person asks for presence. In the next rounds, every
 * person subscribes, then publishes, then asks for presence again, then unsubscribes.
 */
export function scene(actors: number): Act[] {
  const types = ["presence", "subscribe", "publish", "presence", "unsubscribe"] as const;
  return types.flatMap((type) => Array.from({ length: actors }, (_, by) => ({ by, type })));
}

/** Computes the frames that each person should receive for a sequence of actions (specification 5 and 6). */
export function played(channel: string, policy: ChannelPolicy, actors: Actor[], acts: Act[]): Frame[][] {
  const got: Frame[][] = actors.map(() => []);
  const there: number[] = [];
  const can = (index: number, right: Right) => may(policy, right, (actors[index] as Actor).role);
  const user = (index: number): User => {
    const { id, name } = actors[index] as Actor;
    return { id, name };
  };
  const present = () => there.filter((index) => can(index, "participatePresence")).map(user);
  const tell = (index: number, frame: Frame) => got[index]?.push(frame);
  const others = (by: number, frame: Frame) => {
    if (!can(by, "participatePresence")) return;
    for (const index of there) if (index !== by && can(index, "seePresence")) tell(index, frame);
  };

  for (const { by, type } of acts) {
    const needed = {
      subscribe: "subscribe",
      publish: "publish",
      presence: "seePresence",
      unsubscribe: null,
    } as const;
    const right = needed[type];
    if (right !== null && !can(by, right)) {
      tell(by, failure("PERMISSION_DENIED", { channel }));
    } else if (type === "subscribe") {
      there.push(by);
      tell(by, subscribed(channel));
      if (can(by, "seePresence")) tell(by, presence(channel, present()));
      others(by, join(channel, user(by)));
    } else if (type === "publish") {
      for (const index of there)
        tell(index, message(channel, "", null, user(by), (actors[by] as Actor).role));
    } else if (type === "presence") {
      tell(by, presence(channel, present()));
    } else if (there.includes(by)) {
      there.splice(there.indexOf(by), 1);
      others(by, leave(channel, user(by)));
    }
  }
  return got;
}
