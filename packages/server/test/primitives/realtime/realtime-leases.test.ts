import { after, it } from "node:test";
import { until } from "@easel/conformance/patience";
import { are, enter, join, leave, presence } from "@easel/conformance/realtime/frame";
import { room } from "@easel/conformance/realtime/room";
import { connect } from "@easel/conformance/realtime/socket";
import { same } from "@easel/conformance/same";
import { LIMITS } from "@easel/protocol/limits";
import { LEASE_MS } from "../../../src/drivers/bus/bus.ts";
import { memory } from "../../../src/drivers/bus/memory.ts";
import { startDev } from "../../support/engines.ts";
import type { Scope } from "../../support/service.ts";
import { SECOND } from "../../support/time.ts";
import { Clock, startNode } from "./realtime-node.ts";

const scope = { after };
const clock = new Clock();
const bus = memory(clock.now);
const { env } = await startDev(scope, { SERVICE_LOG_LEVEL: "fatal" });

/** A lease that the test itself renews. */
const TEST = "test";

/** Starts a node that can be cut off from the bus: then it neither renews its lease nor releases anything, like a killed node. */
async function startLeased(scope: Scope) {
  const state = { cut: false, leaveFails: false, renewals: 0 };
  const unlessCut =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args) => {
      if (state.cut) throw new Error("the bus is away");
      return work(...args);
    };
  const own = {
    ...bus,
    publish: unlessCut(async (topic: string, message: string) => {
      if (state.leaveFails && message.includes('"leave"')) throw new Error("the bus does not publish");
      await bus.publish(topic, message);
    }),
    release: unlessCut(bus.release),
    leave: unlessCut(bus.leave),
    renewLease: unlessCut(async (lease: string) => {
      const renewal = await bus.renewLease(lease);
      state.renewals++;
      return renewal;
    }),
  };
  const { target } = await startNode(scope, env, { bus: own, clock: clock.now });
  return { target, state };
}

/** Opens a canvas on two nodes, with the owner on the first and the viewer on the second. */
async function start(scope: Scope) {
  const [one, two] = [await startLeased(scope), await startLeased(scope)];
  const here = await room(one.target);
  const witness = await connect(one.target, here.slug, here.people.owner);
  const viewer = await connect(two.target, here.slug, here.people.viewer);
  await enter(witness, "c");
  await enter(viewer, "c");
  are(await witness.settled(), [join("c", here.users.viewer)]);
  /** Lets time pass in steps, in which every node that is not cut off renews its lease. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 5 * SECOND) {
      const before = one.state.renewals;
      clock.pass(5 * SECOND);
      await until("the lease is renewed", () => one.state.renewals > before);
      // Renewed last, because the bus returns departed members only to the first node that renews its lease.
      await bus.renewLease(TEST);
    }
  };
  await bus.renewLease(TEST);
  /** Whether a place would be free for another connection if the canvas had this number of places. */
  const hasRoom = async (places: number) => {
    const tester = { id: TEST, owner: TEST, lease: TEST };
    const outcome = await bus.hold(`realtime ${here.id}`, tester, { all: places, each: places });
    if (outcome === "held") await bus.release(`realtime ${here.id}`, TEST);
    return outcome === "held";
  };
  return { here, one, two, witness, viewer, pass, hasRoom };
}

it("a killed node: its members leave and its places are free within 15 seconds; those of others stay", async (t) => {
  const { here, two, witness, viewer, pass, hasRoom } = await start(t);
  same([await hasRoom(2), await hasRoom(3)], [false, true]);
  two.state.cut = true;
  await viewer.close();
  are(await witness.settled(), []);
  await pass(15 * SECOND);
  are([await witness.next()], [leave("c", here.users.viewer)]);
  are([await witness.ask({ type: "presence", channel: "c" })], [presence("c", [here.users.owner])]);
  same([await hasRoom(1), await hasRoom(2)], [false, true]);
  await witness.close();
});

it("a node that was cut off for too long: its members leave and join again, and it takes its places again", async (t) => {
  const { here, two, witness, viewer, pass, hasRoom } = await start(t);
  two.state.cut = true;
  await pass(LEASE_MS);
  are([await witness.next()], [leave("c", here.users.viewer)]);
  same(await hasRoom(2), true);
  two.state.cut = false;
  await pass(5 * SECOND);
  are([await witness.next()], [join("c", here.users.viewer)]);
  same([await hasRoom(2), await hasRoom(3)], [false, true]);
  const users = [here.users.owner, here.users.viewer];
  are([await witness.ask({ type: "presence", channel: "c" })], [presence("c", users)]);
  await viewer.close();
  are([await witness.next()], [leave("c", here.users.viewer)]);
  await witness.close();
});

it("a node that was cut off for too long, and the canvas is full by then: 4429", async (t) => {
  const { here, two, witness, viewer, pass } = await start(t);
  two.state.cut = true;
  await pass(LEASE_MS);
  are([await witness.next()], [leave("c", here.users.viewer)]);
  const most = LIMITS.connectionsPerCanvas.value;
  for (let each = 1; each < most; each++) {
    const holder = { id: `${each}`, owner: TEST, lease: TEST };
    await bus.hold(`realtime ${here.id}`, holder, { all: most, each: most });
  }
  two.state.cut = false;
  await pass(5 * SECOND);
  same(await viewer.end(), { code: 4429, frames: [] });
  await witness.close();
});

it("a node that was cut off for too long takes its places again although leave frames cannot be published", async (t) => {
  const { one, two, witness, viewer, hasRoom } = await start(t);
  one.state.cut = true;
  two.state.cut = true;
  two.state.leaveFails = true;
  clock.pass(LEASE_MS);
  same(await hasRoom(1), true);
  two.state.cut = false;
  await until("the place is taken again", async () => !(await hasRoom(1)));
  two.state.leaveFails = false;
  for (const socket of [witness, viewer]) await socket.close();
});
