import type { Bus } from "../../../src/drivers/bus/bus.ts";

/** Wraps a bus: records what the node holds and publishes there, and lets a test delay calls. */
export class CountingBus {
  readonly bus: Bus;
  /** The subscriptions, places and presences that the node holds at present. */
  readonly held = new Set<string>();
  /** Published messages, as `topic: message`. */
  readonly said: string[] = [];
  /** A function of the test. Each of these calls waits for it first. */
  before: (what: "subscribe" | "hold" | "join" | "publish") => Promise<void> = async () => {};

  constructor(bus: Bus) {
    const { held, said } = this;
    let subscriptions = 0;
    this.bus = {
      ...bus,
      publish: async (topic, message) => {
        await this.before("publish");
        said.push(`${topic}: ${message}`);
        await bus.publish(topic, message);
      },
      subscribe: async (topic, listener) => {
        await this.before("subscribe");
        const name = `topic ${topic} (${++subscriptions})`;
        const stop = await bus.subscribe(topic, listener);
        held.add(name);
        return async () => {
          await stop();
          held.delete(name);
        };
      },
      hold: async (place, holder, limits) => {
        await this.before("hold");
        const outcome = await bus.hold(place, holder, limits);
        if (outcome === "held") held.add(`place ${place} ${holder.id}`);
        return outcome;
      },
      release: async (place, holder) => {
        held.delete(`place ${place} ${holder}`);
        await bus.release(place, holder);
      },
      join: async (topic, member, connection, lease) => {
        await this.before("join");
        held.add(`present ${topic} ${member.id} ${connection}`);
        return bus.join(topic, member, connection, lease);
      },
      leave: async (topic, member, connection) => {
        held.delete(`present ${topic} ${member} ${connection}`);
        return bus.leave(topic, member, connection);
      },
    };
  }

  /** Returns how many subscriptions, places or presences the node holds at present. */
  count(kind: "topic" | "place" | "present"): number {
    return [...this.held].filter((each) => each.startsWith(`${kind} `)).length;
  }
}
