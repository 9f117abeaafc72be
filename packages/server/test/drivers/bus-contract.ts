import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Bucket, type Bus, MOST_PARTS, SHARED_PART } from "../../src/drivers/bus/bus.ts";
import type { Scope } from "../support/service.ts";
import { leasesContract } from "./bus-leases-contract.ts";
import { membersContract, NODE, placesContract } from "./bus-members-contract.ts";

/** A bus of a test, and how its time goes by: the clock of the driver may be the test's own. */
export interface Opened {
  bus: Bus;
  pass(ms: number): Promise<void>;
}

/** Short, so that a driver with a clock of its own can really wait. */
const WINDOW = 400;

const A: Bucket = { rateClass: "canvas", owner: "a" };

/** What every bus driver does; `open` makes an empty bus, closed afterwards. */
export function busContract(
  name: string,
  skip: string | false,
  open: (scope: Scope) => Promise<Opened>,
): void {
  describe(`bus driver: ${name}`, { skip }, () => {
    test("a bucket gives so many and no more", async (t) => {
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
      for (const { limit, resetMs } of taken) {
        assert.equal(limit, 3);
        assert.ok(resetMs > 0 && resetMs <= WINDOW, `${resetMs}`);
      }
    });

    test("it is full again after its window, counted from its first taking", async (t) => {
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

    test("an empty bucket is not kept empty by those who keep asking", async (t) => {
      const { bus, pass } = await open(t);
      await bus.take(A, 1, WINDOW);
      for (let each = 0; each < 4; each++) {
        await pass(WINDOW / 5);
        assert.equal((await bus.take(A, 1, WINDOW)).allowed, false);
      }
      await pass(WINDOW / 5 + 20);
      assert.equal((await bus.take(A, 1, WINDOW)).allowed, true);
    });

    test("every owner, every part and every class has a bucket of its own", async (t) => {
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

    test("of parts past the most that an owner may have, all share one bucket until old ones have ended", async (t) => {
      const { bus, pass } = await open(t);
      const part = async (each: number) =>
        (await bus.take({ ...A, part: `part ${each}` }, 1, WINDOW)).allowed;
      const parts = Array.from({ length: MOST_PARTS }, (_, each) => each);
      assert.ok((await Promise.all(parts.map(part))).every(Boolean));
      assert.deepEqual([await part(1000), await part(1001), await part(1002)], [true, false, false]);
      assert.equal((await bus.take({ ...A, part: SHARED_PART }, 1, WINDOW)).allowed, false);
      assert.deepEqual([await part(0), await part(MOST_PARTS - 1)], [false, false], "old ones go on");
      assert.equal((await bus.take({ ...A, owner: "b", part: "part 1000" }, 1, WINDOW)).allowed, true);
      await pass(WINDOW + 20);
      assert.deepEqual([await part(1000), await part(1001), await part(1000)], [true, true, false]);
    });

    test("what is given back can be taken again, but not past the limit nor in another window", async (t) => {
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

    test("of many at once, as many get one as there are", async (t) => {
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

    /** Listens to a topic; answers what has been heard so far. */
    async function listen(bus: Bus, topic: string) {
      const heard: string[] = [];
      const stop = await bus.subscribe(topic, (message) => heard.push(message));
      return { heard, stop };
    }

    test("every listener of a topic hears every message in its order, and no other topic's", async (t) => {
      const { bus, pass } = await open(t);
      const [one, two, other] = [await listen(bus, "a"), await listen(bus, "a"), await listen(bus, "b")];
      for (const message of ["1", "", '{"three":"🦊\\n"}']) await bus.publish("a", message);
      await pass(50);
      assert.deepEqual(one.heard, ["1", "", '{"three":"🦊\\n"}']);
      assert.deepEqual(two.heard, one.heard);
      assert.deepEqual(other.heard, []);
    });

    test("a message that nobody listens to is gone", async (t) => {
      const { bus, pass } = await open(t);
      await bus.publish("a", "early");
      const { heard } = await listen(bus, "a");
      await pass(50);
      assert.deepEqual(heard, []);
    });

    test("who has stopped hears nothing more, the others do", async (t) => {
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

    test("who stops twice silences nobody else", async (t) => {
      const { bus, pass } = await open(t);
      const leaving = await listen(bus, "a");
      await leaving.stop();
      const staying = await listen(bus, "a");
      await leaving.stop();
      await bus.publish("a", "1");
      await pass(50);
      assert.deepEqual(staying.heard, ["1"]);
    });

    test("a listener that throws keeps a message from nobody else", async (t) => {
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
