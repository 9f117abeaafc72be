import type { Member } from "@easel/protocol/realtime";
import type { ChannelRights } from "@easel/protocol/types";
import type { Bus } from "../../drivers/bus/bus.ts";
import type { Client } from "./client.ts";
import { textFrame } from "./outbox.ts";

interface Topic<Listener> {
  listeners: Set<Listener>;
  /** Resolves with a function that ends the subscription to the bus. */
  unsubscribe: Promise<() => Promise<void>>;
}

/**
 * Keeps one subscription to the bus for each topic with listeners on this node. The last listener that unsubscribes ends the subscription.
 */
export class Topics<Listener> {
  readonly #topics = new Map<string, Topic<Listener>>();
  readonly #bus: Bus;
  readonly #deliver: (message: string, listeners: Set<Listener>) => void;

  constructor(bus: Bus, deliver: (message: string, listeners: Set<Listener>) => void) {
    this.#bus = bus;
    this.#deliver = deliver;
  }

  /** Adds a listener to a topic. Resolves once the listener receives messages from every node. */
  async subscribe(topic: string, listener: Listener): Promise<void> {
    const known = this.#topics.get(topic);
    if (known !== undefined) {
      known.listeners.add(listener);
      await known.unsubscribe;
      return;
    }
    const listeners = new Set([listener]);
    const unsubscribe = this.#bus.subscribe(topic, (message) => this.#deliver(message, listeners));
    const added = { listeners, unsubscribe };
    this.#topics.set(topic, added);
    try {
      await unsubscribe;
    } catch (error) {
      // The entry may have been removed meanwhile, and another one added for the same topic.
      if (this.#topics.get(topic) === added) this.#topics.delete(topic);
      throw error;
    }
  }

  async unsubscribe(topic: string, listener: Listener): Promise<void> {
    const known = this.#topics.get(topic);
    if (!known?.listeners.delete(listener) || known.listeners.size > 0) return;
    this.#topics.delete(topic);
    await (await known.unsubscribe)();
  }
}

/** A `join` or `leave` frame about a user. */
interface PresenceChange {
  frame: Buffer;
  user: string;
  isPresent: boolean;
}

/** The subscription of one connection to one channel. */
export class Subscription {
  readonly channel: string;
  /** The bus topic on which the messages of the channel are published. */
  readonly topic: string;
  readonly #client: Client;
  rights: ChannelRights;
  /**
   * Whether the client receives the messages of the channel: true from the subscription until the client unsubscribes or loses its rights.
   */
  open = false;
  /** Whether the connection has joined the presence of the channel, so that its user is shown as present. */
  present = false;
  /** The ids of the members that the client knows to be present; null before it has a list. */
  #known: Set<string> | null = null;
  /** The changes of presence that have arrived while a list is read. */
  #held: PresenceChange[] | null = null;

  constructor(channel: string, rights: ChannelRights, client: Client) {
    this.channel = channel;
    this.topic = topicOf(channel, client);
    this.rights = rights;
    this.#client = client;
  }

  onMessage(frame: Buffer): void {
    if (this.open) this.#client.deliver(frame, this.#isOpen);
  }

  /**
   * Delivers a `join` or `leave` frame if the client's rights include seeing who is present. Skips a frame about the user of this
   * connection, and one that says what the client knows: a list of members may be read between a change and its frame.
   */
  onPresence(change: PresenceChange): void {
    const { frame, user, isPresent } = change;
    if (!this.open || user === this.#client.access.user.id) return;
    if (this.#held !== null) return void this.#held.push(change);
    if (this.#known?.has(user) === isPresent) return;
    if (isPresent) this.#known?.add(user);
    else this.#known?.delete(user);
    this.#client.deliver(frame, this.#seesPresence);
  }

  /** Holds changes of presence while a list of members is read. */
  holdPresence(): void {
    this.#held ??= [];
  }

  /** Records the members that the client has got as a list. */
  listed(members: Member[]): void {
    this.#known = new Set(members.map(({ id }) => id));
  }

  /** Delivers the changes of presence that were held. */
  passPresence(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const change of held) this.onPresence(change);
  }

  readonly #isOpen = () => this.open;
  readonly #seesPresence = () => this.open && this.rights.seePresence;
}

/** Returns the bus topic of a channel on the canvas of a client. */
export const topicOf = (channel: string, { access }: Client): string =>
  `channel ${access.canvas.id} ${channel}`;

/*
 * On the bus, a `message` frame is prefixed with "M"; a `join` frame with "J" and a `leave` frame with "L", the id of the user and a space.
 */

/** Encodes a `message` frame for the bus. */
export const encodeMessage = (frame: string): string => `M${frame}`;

/** Publishes a `join` or `leave` frame about a member of a channel. Reads the name of the channel from `topic`. */
export function publishPresence(
  type: "join" | "leave",
  topic: string,
  user: Member,
  bus: Bus,
): Promise<void> {
  const [, , ...words] = topic.split(" ");
  const frame = JSON.stringify({ type, channel: words.join(" "), user });
  return bus.publish(topic, `${type === "join" ? "J" : "L"}${user.id} ${frame}`);
}

/** Delivers a message from the bus to the subscriptions of its channel on this node. The frame is encoded once for all of them. */
export function deliverToSubscriptions(message: string, subscriptions: Set<Subscription>): void {
  if (message.startsWith("M")) {
    const frame = textFrame(message.slice(1));
    for (const each of subscriptions) each.onMessage(frame);
    return;
  }
  const space = message.indexOf(" ");
  const user = message.slice(1, space);
  const frame = textFrame(message.slice(space + 1));
  const change = { frame, user, isPresent: message.startsWith("J") };
  for (const each of subscriptions) each.onPresence(change);
}
