import { LIMITS } from "@easel/protocol/limits";
import type { Member, Sender } from "@easel/protocol/realtime";
import type { ChannelRights, Json } from "@easel/protocol/types";
import { channelRights, unnamedChannel } from "../../access/channels.ts";
import { entryOf } from "../../canvases/policy.ts";
import type { Bus } from "../../drivers/bus/bus.ts";
import type { Line } from "./line.ts";
import { asMessage, publishPresence, Subscription, topicOf } from "./subscription.ts";
import type { Topics } from "./topics.ts";

const MOST_BYTES = LIMITS.frameBytes.value;

/** The channels of one connection (specification 4.7), of which one thing is asked after the other. */
export class Channels {
  readonly #line: Line;
  readonly #topics: Topics<Subscription>;
  readonly #bus: Bus;
  readonly #subscriptions = new Map<string, Subscription>();

  constructor(line: Line, topics: Topics<Subscription>, bus: Bus) {
    this.#line = line;
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
    if (!rights.subscribe) return this.#deny(channel);
    const known = this.#subscriptions.get(channel);
    const subscription = known ?? new Subscription(channel, rights, this.#line);
    if (known === undefined) {
      this.#subscriptions.set(channel, subscription);
      await this.#topics.enter(subscription.topic, subscription);
      subscription.open = true;
    }
    this.#line.send(JSON.stringify({ type: "subscribed", channel }));
    const appeared = await this.#appear(subscription);
    if (rights.seePresence) await this.#sendPresence(channel);
    if (appeared) await this.#tell("join", subscription);
  }

  async unsubscribe(channel: string): Promise<void> {
    const subscription = this.#subscriptions.get(channel);
    if (subscription !== undefined) await this.#leave(subscription);
  }

  async publish(channel: string, event: string, data: Json): Promise<void> {
    if (!this.#rightsOn(channel).publish) return this.#deny(channel);
    const { user, role } = this.#line.standing;
    const from: Sender = { id: user.id, name: user.name, canvasRole: role };
    const frame = JSON.stringify({ type: "message", channel, event, data, from });
    // A number may be longer as it is passed on than as it was sent.
    if (Buffer.byteLength(frame) > MOST_BYTES && Buffer.byteLength(JSON.stringify(data)) > MOST_BYTES)
      return this.#line.refuse("MESSAGE_TOO_LARGE", { channel });
    await this.#bus.publish(topicOf(channel, this.#line), asMessage(frame));
  }

  async presence(channel: string): Promise<void> {
    if (!this.#rightsOn(channel).seePresence) return this.#deny(channel);
    await this.#sendPresence(channel);
  }

  /** Brings every subscription in line with what the visitor may do by now. */
  async settle(): Promise<void> {
    for (const subscription of [...this.#subscriptions.values()]) {
      const { channel, rights } = subscription;
      const now = this.#rightsOn(channel);
      subscription.rights = now;
      if (!now.subscribe) {
        this.#deny(channel);
        await this.#leave(subscription);
        continue;
      }
      if (now.participatePresence && (await this.#appear(subscription)))
        await this.#tell("join", subscription);
      if (!now.participatePresence) await this.#vanish(subscription);
      if (now.seePresence && !rights.seePresence) await this.#sendPresence(channel);
    }
  }

  /** Joins again wherever the connection was present, after the lease of the node had expired. */
  async rejoin(): Promise<void> {
    for (const subscription of this.#subscriptions.values()) {
      if (!subscription.present) continue;
      subscription.present = false;
      if (await this.#appear(subscription)) await this.#tell("join", subscription);
    }
  }

  async leaveAll(): Promise<void> {
    await Promise.all(Array.from(this.#subscriptions.values(), (each) => this.#leave(each)));
  }

  #rightsOn(channel: string): ChannelRights {
    const { policy, role } = this.#line.standing;
    return channelRights(entryOf(policy.channels, channel) ?? unnamedChannel(channel), role);
  }

  #deny(channel: string): void {
    this.#line.refuse("PERMISSION_DENIED", { channel });
  }

  async #leave(subscription: Subscription): Promise<void> {
    this.#subscriptions.delete(subscription.channel);
    subscription.open = false;
    await Promise.all([this.#topics.leave(subscription.topic, subscription), this.#vanish(subscription)]);
  }

  /** Counts it among those present, if it may be; true when it is the first of its person. */
  async #appear(subscription: Subscription): Promise<boolean> {
    if (subscription.present || !subscription.rights.participatePresence) return false;
    subscription.present = true;
    return this.#bus.join(subscription.topic, this.#member, this.#line.id, this.#line.lease);
  }

  async #vanish(subscription: Subscription): Promise<void> {
    if (!subscription.present) return;
    subscription.present = false;
    if (await this.#bus.leave(subscription.topic, this.#member.id, this.#line.id))
      await this.#tell("leave", subscription);
  }

  #tell(type: "join" | "leave", { topic }: Subscription): Promise<void> {
    return publishPresence(type, topic, this.#member, this.#bus);
  }

  async #sendPresence(channel: string): Promise<void> {
    const users = await this.#bus.members(topicOf(channel, this.#line));
    this.#line.send(JSON.stringify({ type: "presence", channel, users }));
  }

  get #member(): Member {
    const { id, name } = this.#line.standing.user;
    return { id, name };
  }
}
