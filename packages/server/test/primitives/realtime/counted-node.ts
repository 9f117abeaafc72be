import assert from "node:assert/strict";
import { until } from "@easel/conformance/patience";
import { type Room, room } from "@easel/conformance/realtime/room";
import type { Person, Target } from "@easel/conformance/target";
import { memory } from "../../../src/drivers/bus/memory.ts";
import type { Env } from "../../../src/env.ts";
import { startDev } from "../../support/engines.ts";
import type { Scope } from "../../support/service.ts";
import { CountingBus } from "./counting-bus.ts";
import { startNode } from "./realtime-node.ts";
import { handshake, Wire } from "./realtime-wire.ts";

/** A node with one canvas, on a bus that records what the node holds there. */
export class CountedNode {
  readonly target: Target;
  readonly env: Env;
  readonly counting: CountingBus;
  readonly here: Room;
  /** The number of subscriptions, places and presences that the node holds on the bus while no connection is open. */
  readonly usual: number;

  private constructor(target: Target, env: Env, counting: CountingBus, here: Room) {
    this.target = target;
    this.env = env;
    this.counting = counting;
    this.here = here;
    this.usual = counting.held.size;
  }

  /** Starts a node that does not log errors. */
  static async start(scope: Scope): Promise<CountedNode> {
    const { env } = await startDev(scope, { SERVICE_LOG_LEVEL: "fatal" });
    const counting = new CountingBus(memory());
    const node = await startNode(scope, env, { bus: counting.bus });
    return new CountedNode(node.target, env, counting, await room(node.target));
  }

  /** Opens a WebSocket connection to the canvas, without a client library, by default as its owner. */
  async dial(person: Person = this.here.people.owner, base: string = this.target.base): Promise<Wire> {
    const wire = new Wire(base);
    wire.write(handshake(base, `/v1/c/${this.here.slug}/realtime`, person.headers));
    assert.match(await wire.head(), /^HTTP\/1\.1 101 /);
    return wire;
  }

  /** Subscribes a connection to two channels and two watches. */
  async settle(wire: Wire): Promise<void> {
    wire.send(
      { type: "subscribe", channel: "a" },
      { type: "subscribe", channel: "b" },
      { type: "watch", resource: "kv" },
      { type: "watch", resource: "kv.user", prefix: "p" },
    );
    for (let frame = await wire.next(); frame.resource !== "kv.user"; frame = await wire.next());
  }

  /** Waits until connections hold nothing on the bus any more. */
  emptied(): Promise<void> {
    return until("everything is given back", () => this.counting.held.size === this.usual);
  }
}
