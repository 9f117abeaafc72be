import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { memory } from "../../drivers/bus/memory.ts";
import { Topics } from "./subscription.ts";

/** A listener that records the messages it receives. */
interface Recorder {
  received: string[];
}

/** Creates `topics` on a bus where each subscription stays pending until the test completes it or lets it fail. */
function slowBus() {
  const bus = memory();
  let subscribed = 0;
  let active = 0;
  const waiting: { pass(): void; fail(): void }[] = [];
  const topics = new Topics<Recorder>(
    {
      ...bus,
      async subscribe(topic, listener) {
        subscribed++;
        await new Promise<void>((pass, fail) => waiting.push({ pass, fail: () => fail(new Error("bus")) }));
        const stop = await bus.subscribe(topic, listener);
        active++;
        return async () => {
          active--;
          await stop();
        };
      },
    },
    (message, recorders) => {
      for (const recorder of recorders) recorder.received.push(message);
    },
  );
  return {
    topics,
    /** Returns the functions that complete the oldest pending subscription or let it fail. */
    next: () => waiting.shift() ?? assert.fail("no subscription is pending"),
    publish: (message: string) => bus.publish("t", message),
    get subscribed() {
      return subscribed;
    },
    get active() {
      return active;
    },
  };
}

const newRecorder = (): Recorder => ({ received: [] });
const hasSettled = async (promise: Promise<unknown>) => {
  const pending = Symbol();
  await new Promise(setImmediate);
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
};

describe("Topics", () => {
  test("subscribe resolves with the subscription to the bus, which listeners share", async () => {
    const bus = slowBus();
    const [one, other] = [newRecorder(), newRecorder()];
    const [first, second] = [bus.topics.subscribe("t", one), bus.topics.subscribe("t", other)];
    assert.deepEqual([await hasSettled(first), await hasSettled(second)], [false, false]);
    bus.next().pass();
    await Promise.all([first, second]);
    await bus.topics.subscribe("t", one);
    await bus.publish("1");
    assert.deepEqual([one.received, other.received, bus.subscribed], [["1"], ["1"], 1]);
  });

  test("the subscription to the bus ends with the last listener", async () => {
    const bus = slowBus();
    const [one, other] = [newRecorder(), newRecorder()];
    const entered = Promise.all([bus.topics.subscribe("t", one), bus.topics.subscribe("t", other)]);
    bus.next().pass();
    await entered;
    await bus.topics.unsubscribe("t", one);
    await bus.topics.unsubscribe("t", one);
    await bus.topics.unsubscribe("t", newRecorder());
    await bus.topics.unsubscribe("u", other);
    assert.equal(bus.active, 1);
    await bus.publish("1");
    await bus.topics.unsubscribe("t", other);
    assert.equal(bus.active, 0);
    await bus.publish("2");
    assert.deepEqual([one.received, other.received], [[], ["1"]]);
  });

  test("a listener that unsubscribes before the bus has subscribed gets nothing", async () => {
    const bus = slowBus();
    const one = newRecorder();
    const entered = bus.topics.subscribe("t", one);
    const left = bus.topics.unsubscribe("t", one);
    assert.equal(await hasSettled(left), false);
    bus.next().pass();
    await Promise.all([entered, left]);
    await bus.publish("1");
    assert.deepEqual([one.received, bus.active], [[], 0]);
  });

  test("a listener that subscribes while the last one unsubscribes gets each message once", async () => {
    const bus = slowBus();
    const [one, other] = [newRecorder(), newRecorder()];
    const entered = [bus.topics.subscribe("t", one)];
    const left = bus.topics.unsubscribe("t", one);
    entered.push(bus.topics.subscribe("t", other));
    bus.next().pass();
    bus.next().pass();
    await Promise.all([...entered, left]);
    await bus.publish("1");
    assert.deepEqual([one.received, other.received, bus.active], [[], ["1"], 1]);
    await bus.topics.unsubscribe("t", other);
    assert.equal(bus.active, 0);
  });

  test("a failed subscription rejects all pending calls; the next call subscribes again", async () => {
    const bus = slowBus();
    const [one, other, third] = [newRecorder(), newRecorder(), newRecorder()];
    const entered = [bus.topics.subscribe("t", one), bus.topics.subscribe("t", other)];
    const failed = Promise.all(entered.map((each) => assert.rejects(each, /bus/)));
    bus.next().fail();
    await failed;
    for (const each of [one, other]) await bus.topics.unsubscribe("t", each);
    const again = bus.topics.subscribe("t", third);
    bus.next().pass();
    await again;
    await bus.publish("1");
    assert.deepEqual([one.received, other.received, third.received], [[], [], ["1"]]);
    await bus.topics.unsubscribe("t", third);
    assert.equal(bus.active, 0);
  });

  test("a subscription that fails late does not affect later listeners", async () => {
    const bus = slowBus();
    const [one, other, third] = [newRecorder(), newRecorder(), newRecorder()];
    const failing = assert.rejects(bus.topics.subscribe("t", one), /bus/);
    const left = assert.rejects(bus.topics.unsubscribe("t", one), /bus/);
    const entered = bus.topics.subscribe("t", other);
    const first = bus.next();
    bus.next().pass();
    await entered;
    first.fail();
    await Promise.all([failing, left]);
    const late = bus.topics.subscribe("t", third);
    assert.equal(bus.subscribed, 2);
    await late;
    await bus.topics.unsubscribe("t", other);
    await bus.topics.unsubscribe("t", third);
    assert.equal(bus.active, 0);
  });

  test("in any order of events, subscribed listeners get each message once, and others none", async () => {
    const act = fc.record({ who: fc.nat(3), topic: fc.nat(1), enters: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(act, { maxLength: 24 }), async (scheduler, acts) => {
        const bus = memory();
        const active = new Map<string, number>();
        const count = (topic: string, by: number) => active.set(topic, (active.get(topic) ?? 0) + by);
        const topics = new Topics<Recorder>(
          {
            ...bus,
            async subscribe(topic, listener) {
              await scheduler.schedule(Promise.resolve());
              const stop = await bus.subscribe(topic, listener);
              count(topic, 1);
              return async () => {
                await scheduler.schedule(Promise.resolve());
                count(topic, -1);
                await stop();
              };
            },
          },
          (message, recorders) => {
            for (const each of recorders) each.received.push(message);
          },
        );
        const recorders = Array.from({ length: 4 }, newRecorder);
        const inside = new Set<string>();
        const work: Promise<void>[] = [];
        for (const { who, topic, enters } of acts) {
          const listener = recorders[who] as Recorder;
          const name = `t${topic}`;
          if (enters) inside.add(`${who} ${name}`);
          else inside.delete(`${who} ${name}`);
          work.push(enters ? topics.subscribe(name, listener) : topics.unsubscribe(name, listener));
        }
        await scheduler.waitFor(Promise.all(work));
        for (const name of ["t0", "t1"]) await bus.publish(name, name);
        for (const [who, { received }] of recorders.entries())
          assert.deepEqual(
            received,
            ["t0", "t1"].filter((name) => inside.has(`${who} ${name}`)),
          );
        const leaving = ["t0", "t1"].flatMap((name) =>
          recorders.map((each) => topics.unsubscribe(name, each)),
        );
        await scheduler.waitFor(Promise.all(leaving));
        assert.deepEqual(
          [...active.values()].filter((each) => each !== 0),
          [],
        );
      }),
      { numRuns: 500 },
    );
  });
});
