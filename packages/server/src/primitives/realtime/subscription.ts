import type { Member } from "@easel/protocol/realtime";
import type { ChannelRights } from "@easel/protocol/types";
import type { Bus } from "../../drivers/bus/bus.ts";
import type { Line } from "./line.ts";
import { textFrame } from "./outbox.ts";

/** One connection on one channel. */
export class Subscription {
  readonly channel: string;
  /** The topic of the bus that the channel is told on. */
  readonly topic: string;
  readonly #line: Line;
  rights: ChannelRights;
  /** Whether the client has been told that it is on the channel, and not yet that it no longer is. */
  open = false;
  /** Whether it counts among those present. */
  present = false;

  constructor(channel: string, rights: ChannelRights, line: Line) {
    this.channel = channel;
    this.topic = topicOf(channel, line);
    this.rights = rights;
    this.#line = line;
  }

  /** Takes what was published. */
  message(frame: Buffer): void {
    if (this.open) this.#line.deliver(frame, this.#isOpen);
  }

  /** Takes that someone came or went; nobody hears that of themselves. */
  presence(frame: Buffer, user: string): void {
    if (!this.open || user === this.#line.standing.user.id) return;
    this.#line.deliver(frame, this.#seesPresence);
  }

  readonly #isOpen = () => this.open;
  readonly #seesPresence = () => this.open && this.rights.seePresence;
}

/** The topic of the bus that a channel of a line's canvas is told on. */
export const topicOf = (channel: string, { standing }: Line): string =>
  `channel ${standing.canvas.id} ${channel}`;

/*
 * On the bus a message is the text of its frame behind an M, and a join or leave the text of its frame behind a P, the id of the
 * person and a space.
 */

/** A frame for everyone on a channel, as the bus carries it. */
export const asMessage = (frame: string): string => `M${frame}`;

/** Publishes that a member has joined or left a channel, which is named by its topic. */
export function publishPresence(
  type: "join" | "leave",
  topic: string,
  user: Member,
  bus: Bus,
): Promise<void> {
  const [, , ...words] = topic.split(" ");
  const frame = JSON.stringify({ type, channel: words.join(" "), user });
  return bus.publish(topic, `P${user.id} ${frame}`);
}

/** Gives what the bus has brought to those who are on the channel here: one frame, made once. */
export function tellSubscriptions(carried: string, subscriptions: Set<Subscription>): void {
  if (carried.startsWith("M")) {
    const frame = textFrame(carried.slice(1));
    for (const each of subscriptions) each.message(frame);
    return;
  }
  const space = carried.indexOf(" ");
  const user = carried.slice(1, space);
  const frame = textFrame(carried.slice(space + 1));
  for (const each of subscriptions) each.presence(frame, user);
}
