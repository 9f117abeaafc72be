import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Bucket, type Bus, MAX_PARTS, SHARED_PART } from "../../src/drivers/bus/bus.ts";
import type { Scope } from "../support/service.ts";
import { leasesContract } from "./bus-leases-contract.ts";
import { membersContract, NODE, placesContract } from "./bus-members-contract.ts";

/** A bus, and `pass`, which lets time pass on it: it waits, or moves a clock of the test. */
export interface Opened {
  bus: Bus;
  pass(ms: number): Promise<void>;
}

/** The window of rate limits in milliseconds. It is short, because a driver with a real clock has to wait for its end. */
const WINDOW = 400;

const A: Bucket = { rateClass: "canvas", owner: "a" };

/** Registers the tests that every bus driver must pass. `open` opens an empty bus, which is closed after the test. */
export function busContract(
  name: string,
  skip: string | false,
  open: (scope: Scope) => Promise<Opened>,
): void {
  describe(`bus driver: ${name}`, { skip }, () => {
    test("a bucket allows as many as its limit, and counts down what remains", async (t) => {
      const { bus } = await open(t);
      const taken = [];
      for (let each = 0; each < 5; each++) taken.push(await bus.take(A, 3, WINDOW));
      assert.deepEqual(
        taken.map(({ allowed }) => allowed),
        [true, true, true, false, false],
      );
      assert.deepEqual(
        taken.map(({ remaining }) => remaining),
        [2, 1, 0, 0, 0],
      );
      assert.deepEqual(
        taken.map(({ refused }) => refused),
        [0, 0, 0, 1, 2],
      );
      for (const { limit, resetMs } of taken) {
        assert.equal(limit, 3);
        assert.ok(resetMs > 0 && resetMs <= WINDOW, `${resetMs}`);
      }
    });

    test("a bucket is full again when its window is over, measured from its first request", async (t) => {
      const { bus, pass } = await open(t);
      await bus.take(A, 2, WINDOW);
      await pass(WINDOW / 2);
      const second = await bus.take(A, 2, WINDOW);
      assert.ok(second.allowed && second.resetMs <= WINDOW / 2);
      assert.equal((await bus.take(A, 2, WINDOW)).allowed, false);
      await pass(WINDOW / 2 + 20);
      const { allowed, remaining, resetMs } = await bus.take(A, 2, WINDOW);
      assert.deepEqual([allowed, remaining], [true, 1]);
      assert.ok(resetMs > WINDOW / 2);
    });

    test("refused requests do not extend the window", async (t) => {
      const { bus, pass } = await open(t);
      const start = performance.now();
      await bus.take(A, 1, WINDOW);
      for (let each = 0; each < 4; each++) {
        await pass(WINDOW / 5);
        const { allowed } = await bus.take(A, 1, WINDOW);
        // On a machine that stands still, the window can be over.
        if (allowed) return assert.ok(performance.now() - start >= WINDOW);
      }
      await pass(WINDOW / 5 + 20);
      assert.equal((await bus.take(A, 1, WINDOW)).allowed, true);
    });

    test("each owner, part and class has a bucket of its own", async (t) => {
      const { bus } = await open(t);
      for (const key of ["a", "b", "a b", "", "__proto__", "🦊"]) {
        for (const bucket of [
          { ...A, owner: key },
          { ...A, part: `part ${key}` },
          { ...A, owner: key, rateClass: "ai" as const },
        ]) {
          assert.equal((await bus.take(bucket, 1, WINDOW)).allowed, true, key);
          assert.equal((await bus.take(bucket, 1, WINDOW)).allowed, false, key);
        }
      }
    });

    test("an owner's parts past the limit share one bucket until older buckets have ended", async (t) => {
      const { bus, pass } = await open(t);
      const part = async (each: number) =>
        (await bus.take({ ...A, part: `part ${each}` }, 1, WINDOW)).allowed;
      const parts = Array.from({ length: MAX_PARTS }, (_, each) => each);
      assert.ok((await Promise.all(parts.map(part))).every(Boolean));
      assert.deepEqual([await part(1000), await part(1001), await part(1002)], [true, false, false]);
      assert.equal((await bus.take({ ...A, part: SHARED_PART }, 1, WINDOW)).allowed, false);
      assert.deepEqual(
        [await part(0), await part(MAX_PARTS - 1)],
        [false, false],
        "older buckets are unchanged",
      );
      assert.equal((await bus.take({ ...A, owner: "b", part: "part 1000" }, 1, WINDOW)).allowed, true);
      await pass(WINDOW + 20);
      assert.deepEqual([await part(1000), await part(1001), await part(1000)], [true, true, false]);
    });

    test("giveBack returns one to a bucket, but not past its limit nor in another window", async (t) => {
      const { bus, pass } = await open(t);
      await bus.giveBack(A);
      await bus.take(A, 2, WINDOW);
      await bus.take(A, 2, WINDOW);
      assert.equal((await bus.take(A, 2, WINDOW)).allowed, false);
      await bus.giveBack({ ...A, part: "b" });
      await bus.giveBack({ ...A, owner: "b" });
      await bus.giveBack({ ...A, rateClass: "ai" });
      assert.equal((await bus.take(A, 2, WINDOW)).allowed, false);
      await bus.giveBack(A);
      const { allowed, remaining } = await bus.take(A, 2, WINDOW);
      assert.deepEqual([allowed, remaining], [true, 0]);
      for (let each = 0; each < 5; each++) await bus.giveBack(A);
      assert.equal((await bus.take(A, 2, WINDOW)).remaining, 1);
      await pass(WINDOW + 20);
      await bus.giveBack(A);
      assert.equal((await bus.take(A, 2, WINDOW)).remaining, 1);
    });

    test("of concurrent requests, as many are allowed as the limit", async (t) => {
      const { bus } = await open(t);
      const taken = await Promise.all(Array.from({ length: 100 }, () => bus.take(A, 10, WINDOW)));
      assert.equal(taken.filter(({ allowed }) => allowed).length, 10);
      assert.deepEqual(
        taken
          .filter(({ allowed }) => allowed)
          .map(({ remaining }) => remaining)
          .sort((a, b) => b - a),
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
      );
    });

    /** Subscribes to a topic. Returns the messages so far (`heard`), and a function that ends the subscription (`stop`). */
    async function listen(bus: Bus, topic: string) {
      const heard: string[] = [];
      const stop = await bus.subscribe(topic, (message) => heard.push(message));
      return { heard, stop };
    }

    test("each listener receives all messages of its topic in order, and none of another topic", async (t) => {
      const { bus, pass } = await open(t);
      const [one, two, other] = [await listen(bus, "a"), await listen(bus, "a"), await listen(bus, "b")];
      for (const message of ["1", "", '{"three":"🦊\\n"}']) await bus.publish("a", message);
      await pass(50);
      assert.deepEqual(one.heard, ["1", "", '{"three":"🦊\\n"}']);
      assert.deepEqual(two.heard, one.heard);
      assert.deepEqual(other.heard, []);
    });

    test("topics that differ in lone surrogates only are different", async (t) => {
      const { bus, pass } = await open(t);
      const topics = ["channel \ud800", "channel \udbff", "channel \udc00", "channel \ufffd"];
      const member = { id: "a", name: "A" };
      await bus.renewLease(NODE);
      for (const topic of topics) {
        const { heard, stop } = await listen(bus, topic);
        assert.equal(await bus.join(topic, member, "1", NODE), true);
        for (const [at, each] of topics.entries()) await bus.publish(each, String(at));
        await pass(50);
        assert.deepEqual(heard, [String(topics.indexOf(topic))]);
        assert.deepEqual(await bus.members(topic), [member]);
        assert.equal(await bus.leave(topic, member.id, "1"), true);
        await stop();
      }
    });

    test("a message from before a subscription is not received", async (t) => {
      const { bus, pass } = await open(t);
      await bus.publish("a", "early");
      const { heard } = await listen(bus, "a");
      await pass(50);
      assert.deepEqual(heard, []);
    });

    test("a listener receives nothing after its subscription has ended; the others still do", async (t) => {
      const { bus, pass } = await open(t);
      const [leaving, staying] = [await listen(bus, "a"), await listen(bus, "a")];
      await bus.publish("a", "1");
      await pass(50);
      await leaving.stop();
      await bus.publish("a", "2");
      await pass(50);
      await staying.stop();
      await bus.publish("a", "3");
      await pass(50);
      const again = await listen(bus, "a");
      await bus.publish("a", "4");
      await pass(50);
      assert.deepEqual([leaving.heard, staying.heard, again.heard], [["1"], ["1", "2"], ["4"]]);
    });

    test("ending a subscription twice does not affect others", async (t) => {
      const { bus, pass } = await open(t);
      const leaving = await listen(bus, "a");
      await leaving.stop();
      const staying = await listen(bus, "a");
      await leaving.stop();
      await bus.publish("a", "1");
      await pass(50);
      assert.deepEqual(staying.heard, ["1"]);
    });

    test("a listener that throws does not keep a message from others", async (t) => {
      const { bus, pass } = await open(t);
      await bus.subscribe("a", () => {
        throw new Error("mine");
      });
      const { heard } = await listen(bus, "a");
      await bus.publish("a", "1").catch(() => {});
      await pass(50);
      assert.deepEqual(heard, ["1"]);
    });

    test("a topic has listeners from the first subscription to the end of the last one", async (t) => {
      const { bus } = await open(t);
      const { stop } = await listen(bus, "a");
      await listen(bus, "a");
      assert.equal(bus.hasListeners("a"), true);
      await stop();
      assert.equal(bus.hasListeners("a"), true);
    });

    const openWithLease = async (scope: Scope) => {
      const opened = await open(scope);
      await opened.bus.renewLease(NODE);
      return opened;
    };
    placesContract(openWithLease);
    membersContract(openWithLease);
    leasesContract(open);
  });
}
