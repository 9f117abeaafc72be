import { LIMITS } from "@easel/protocol/limits";
import type { Member, Sender } from "@easel/protocol/realtime";
import type { ChannelRights, Json } from "@easel/protocol/types";
import { channelRights, unnamedChannel } from "../../access/rights.ts";
import { entryOf } from "../../canvases/policy.ts";
import type { Bus } from "../../drivers/bus/bus.ts";
import type { Client } from "./client.ts";
import { encodeMessage, publishPresence, Subscription, type Topics, topicOf } from "./subscription.ts";

const MAX_BYTES = LIMITS.frameBytes.value;

/** The channels that one connection is subscribed to (specification 4.7). Callers must await each method before they call the next one. */
export class Channels {
  readonly #client: Client;
  readonly #topics: Topics<Subscription>;
  readonly #bus: Bus;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(client: Client, topics: Topics<Subscription>, bus: Bus) {
    this.#client = client;
    this.#topics = topics;
    this.#bus = bus;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  has(channel: string): boolean {
    return this.#subscriptions.has(channel);
  }

  async subscribe(channel: string): Promise<void> {
    const rights = this.#rightsOn(channel);
    if (!rights.subscribe) return this.#sendDenied(channel);
    const known = this.#subscriptions.get(channel);
    const subscription = known ?? new Subscription(channel, rights, this.#client);
    if (known === undefined) {
      this.#subscriptions.set(channel, subscription);
      await this.#topics.subscribe(subscription.topic, subscription);
      subscription.open = true;
    }
    // Changes of presence come after the first list of members, also those that other nodes publish before it is read.
    subscription.holdPresence();
    let isFirst = false;
    try {
      this.#client.send(JSON.stringify({ type: "subscribed", channel }));
      isFirst = await this.#joinPresence(subscription);
      if (rights.seePresence) await this.#sendPresence(channel);
    } finally {
      subscription.passPresence();
    }
    if (isFirst) await this.#publishPresence("join", subscription);
  }

  async unsubscribe(channel: string): Promise<void> {
    const subscription = this.#subscriptions.get(channel);
    if (subscription !== undefined) await this.#remove(subscription);
  }

  async publish(channel: string, event: string, data: Json): Promise<void> {
    if (!this.#rightsOn(channel).publish) return this.#sendDenied(channel);
    const { user, role } = this.#client.access;
    const from: Sender = { id: user.id, name: user.name, canvasRole: role };
    const frame = JSON.stringify({ type: "message", channel, event, data, from });
    // The size is checked again, because a number may be longer than in the client's frame: 1e20 is serialized as 100000000000000000000.
    if (Buffer.byteLength(frame) > MAX_BYTES && Buffer.byteLength(JSON.stringify(data)) > MAX_BYTES)
      return this.#client.sendError("MESSAGE_TOO_LARGE", { channel });
    await this.#bus.publish(topicOf(channel, this.#client), encodeMessage(frame));
  }

  async presence(channel: string): Promise<void> {
    if (!this.#rightsOn(channel).seePresence) return this.#sendDenied(channel);
    await this.#sendPresence(channel);
  }

  /**
   * Applies the user's current rights to every subscription. If the user may no longer subscribe, sends an error frame and removes the
   * subscription. Otherwise joins or leaves the presence of the channel, and sends the list of members if the user has just gained the
   * right to see it.
   */
  async applyAccess(): Promise<void> {
    for (const subscription of [...this.#subscriptions.values()]) {
      const { channel, rights } = subscription;
      const now = this.#rightsOn(channel);
      subscription.rights = now;
      if (!now.subscribe) {
        this.#sendDenied(channel);
        await this.#remove(subscription);
        continue;
      }
      if (now.participatePresence && (await this.#joinPresence(subscription)))
        await this.#publishPresence("join", subscription);
      if (!now.participatePresence) await this.#leavePresence(subscription);
      if (now.seePresence && !rights.seePresence) await this.#sendPresence(channel);
    }
  }

  /**
   * Restores presence on the channels where the connection was present. Called after the node's lease on the bus has expired, because the
   * bus then removes the presence of all connections of the node.
   */
  async rejoin(): Promise<void> {
    for (const subscription of this.#subscriptions.values()) {
      if (!subscription.present) continue;
      subscription.present = false;
      if (await this.#joinPresence(subscription)) await this.#publishPresence("join", subscription);
    }
  }

  /** Sends the members of each channel of which `join` and `leave` frames may have been missed. */
  async messagesMissed(isMissed: (topic: string) => boolean): Promise<void> {
    for (const { topic, channel, open, rights } of this.#subscriptions.values())
      if (open && rights.seePresence && isMissed(topic)) await this.#sendPresence(channel);
  }

  async unsubscribeAll(): Promise<void> {
    await Promise.all(Array.from(this.#subscriptions.values(), (each) => this.#remove(each)));
  }

  #rightsOn(channel: string): ChannelRights {
    const { policy, role } = this.#client.access;
    return channelRights(entryOf(policy.channels, channel) ?? unnamedChannel(channel), role);
  }

  #sendDenied(channel: string): void {
    this.#client.sendError("PERMISSION_DENIED", { channel });
  }

  async #remove(subscription: Subscription): Promise<void> {
    this.#subscriptions.delete(subscription.channel);
    subscription.open = false;
    await Promise.all([
      this.#topics.unsubscribe(subscription.topic, subscription),
      this.#leavePresence(subscription),
    ]);
  }

  /**
   * Adds the connection to the presence of a channel if the user's rights allow that. Returns true if this is the user's first connection
   * in the presence of the channel.
   */
  async #joinPresence(subscription: Subscription): Promise<boolean> {
    if (subscription.present || !subscription.rights.participatePresence) return false;
    subscription.present = true;
    const { id, lease } = this.#client;
    return this.#bus.join(subscription.topic, this.#member, id, lease);
  }

  /** Removes the connection from the presence of a channel. Publishes `leave` if it was the user's last connection there. */
  async #leavePresence(subscription: Subscription): Promise<void> {
    if (!subscription.present) return;
    subscription.present = false;
    if (await this.#bus.leave(subscription.topic, this.#member.id, this.#client.id))
      await this.#publishPresence("leave", subscription);
  }

  #publishPresence(type: "join" | "leave", { topic }: Subscription): Promise<void> {
    return publishPresence(type, topic, this.#member, this.#bus);
  }

  /** Sends the members of a channel, and then the changes that have arrived while they were read. */
  async #sendPresence(channel: string): Promise<void> {
    const subscription = this.#subscriptions.get(channel);
    subscription?.holdPresence();
    try {
      const users = await this.#bus.members(topicOf(channel, this.#client));
      this.#client.send(JSON.stringify({ type: "presence", channel, users }));
      subscription?.listed(users);
    } finally {
      subscription?.passPresence();
    }
  }

  get #member(): Member {
    const { id, name } = this.#client.access.user;
    return { id, name };
  }
}
