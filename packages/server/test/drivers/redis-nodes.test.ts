import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { until } from "@easel/conformance/patience";
import type { Bus, Holder } from "../../src/drivers/bus/bus.ts";
import { sendRedis } from "../support/redis-server.ts";
import type { Scope } from "../support/service.ts";
import { ageLeases, openRedisBus, ownPrefix, sharedRedis, skipRedis } from "./redis-buses.ts";

const url = sharedRedis as string;

/** Opens two buses of one instance, each with the lease of a node. */
async function twoNodes(scope: Scope): Promise<{ buses: [Bus, Bus]; prefix: string }> {
  const prefix = ownPrefix();
  const [one, two] = [await openRedisBus(scope, url, prefix), await openRedisBus(scope, url, prefix)];
  await one.renewLease("one");
  await two.renewLease("two");
  return { buses: [one, two], prefix };
}

const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

describe("a bus on Redis, two nodes", { skip: skipRedis }, () => {
  test("of 120 concurrent holders on both, 30 get a place, in each of 40 rounds", async (t) => {
    const { buses } = await twoNodes(t);
    const holder = (id: number): Holder => ({
      id: `${id}`,
      owner: `${id % 7}`,
      lease: id % 2 ? "two" : "one",
    });
    for (let round = 0; round < 40; round++) {
      const hold = (id: number) => (buses[id % 2] as Bus).hold("a", holder(id), { all: 30, each: 30 });
      const outcomes = await times(120, hold);
      const held = [...outcomes.keys()].filter((id) => outcomes[id] === "held");
      assert.equal(held.length, 30);
      const counted = (await buses[0].holders("a")).reduce((sum, { holders }) => sum + holders, 0);
      assert.equal(counted, 30);
      // Each place is given back by the other node.
      await Promise.all(held.map((id) => (buses[(id + 1) % 2] as Bus).release("a", `${id}`)));
    }
    assert.deepEqual(await buses[0].holders("a"), []);
  });

  test("a limit lets through exactly as many on both, also while tokens are given back", async (t) => {
    const { buses } = await twoNodes(t);
    for (let round = 0; round < 20; round++) {
      const bucket = { rateClass: "canvas", owner: `${round}`, part: "canvas" } as const;
      const taken = await times(100, (each) => (buses[each % 2] as Bus).take(bucket, 37, 60_000));
      assert.equal(taken.filter(({ allowed }) => allowed).length, 37);
      assert.equal(Math.max(...taken.map(({ refused }) => refused)), 63);
      await times(10, (each) => (buses[each % 2] as Bus).giveBack(bucket));
      const again = await times(30, (each) => (buses[each % 2] as Bus).take(bucket, 37, 60_000));
      assert.equal(again.filter(({ allowed }) => allowed).length, 10);
    }
  });

  test("buckets expire by themselves", async (t) => {
    const { buses, prefix } = await twoNodes(t);

    await buses[0].take({ rateClass: "canvas", owner: "a", part: "short" }, 5, 200);
    await buses[0].take({ rateClass: "canvas", owner: "a", part: "long" }, 5, 400);
    await buses[0].take({ rateClass: "canvas", owner: "a", part: "shorter" }, 5, 100);
    const key = `${prefix}rate canvas a`;
    const left = Number(await sendRedis(url, ["PTTL", key]));
    assert.ok(left > 200 && left <= 400, `${left}`);
    await until("it has expired", async () => (await sendRedis(url, ["EXISTS", key])) === 0);
  });

  test("messages of all topics arrive in the same order on both, whichever node publishes", async (t) => {
    const { buses } = await twoNodes(t);
    const heard: string[][] = [[], []];
    for (const [node, bus] of buses.entries())
      for (const topic of ["a", "b", "access"])
        await bus.subscribe(topic, (message) => heard[node]?.push(`${topic} ${message}`));
    const publish = (each: number) =>
      (buses[each % 2] as Bus).publish(["a", "b", "access"][each % 3] as string, `${each}`);
    await times(3_000, publish);
    await until("all have arrived", () => heard.every(({ length }) => length === 3_000));
    assert.deepEqual(heard[0], heard[1]);
    const own = (heard[0] as string[])
      .map((each) => Number(each.split(" ")[1]))
      .filter((each) => each % 2 === 0);
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
    );
  });

  test("a message reaches the subscribers of other nodes as soon as their subscription has resolved", async (t) => {
    const { buses } = await twoNodes(t);
    for (let round = 0; round < 50; round++) {
      const heard: string[] = [];
      const stop = await buses[0].subscribe("a", (message) => heard.push(message));
      await buses[1].publish("a", `${round}`);
      await until("it has arrived", () => heard.length > 0);
      assert.deepEqual(heard, [`${round}`]);
      await stop();
    }
  });

  test("presence counts the connections to both nodes", async (t) => {
    const { buses } = await twoNodes(t);
    const ada = { id: "ada", name: "Ada" };
    assert.equal(await buses[0].join("t", ada, "1", "one"), true);
    assert.equal(await buses[1].join("t", ada, "2", "two"), false);
    assert.deepEqual(await buses[1].members("t"), [ada]);
    assert.equal(await buses[0].leave("t", "ada", "1"), false);
    assert.equal(await buses[1].leave("t", "ada", "2"), true);
  });

  test("of nodes that renew at the same time, one is told who departed with a dead node", async (t) => {
    const { buses, prefix } = await twoNodes(t);
    for (let round = 0; round < 20; round++) {
      const dead = `dead ${round}`;
      await buses[0].renewLease(dead);
      const others = await times(5, async (each) => {
        await buses[0].join(`t ${each}`, { id: "ada", name: "Ada" }, dead, dead);
        return each;
      });
      await ageLeases(url, prefix, 11_000);
      const renewals = await Promise.all(buses.map((bus, node) => bus.renewLease(node ? "two" : "one")));
      assert.deepEqual(
        renewals.flatMap(({ departed }) => departed.map(({ topic }) => topic)).sort(),
        others.map((each) => `t ${each}`),
      );
    }
  });

  test("what dead nodes had leaves nothing behind", async (t) => {
    const { buses, prefix } = await twoNodes(t);
    const [one] = buses;
    await one.renewLease("dead");
    for (const lease of ["dead", "never renewed"]) {
      await one.hold("p", { id: lease, owner: "ada", lease }, { all: 9, each: 9 });
      await one.join("t", { id: "ada", name: "Ada" }, lease, lease);
    }
    await ageLeases(url, prefix, 11_000);
    await one.renewLease("one");
    const keys = (await sendRedis(url, ["KEYS", `${prefix}*`])) as string[];
    assert.deepEqual(keys.sort(), [`${prefix}joins`, `${prefix}leases`]);
    assert.deepEqual(await sendRedis(url, ["ZRANGE", `${prefix}leases`, "0", "-1"]), ["one"]);
  });

  test("a clock of the server that is set back makes no lease longer", async (t) => {
    const { buses, prefix } = await twoNodes(t);
    await ageLeases(url, prefix, -3_600_000);
    assert.equal((await buses[0].renewLease("one")).kept, true);
    await ageLeases(url, prefix, 11_000);
    await buses[0].join("t", { id: "ada", name: "Ada" }, "2", "two");
    assert.deepEqual(await buses[0].members("t"), []);
  });

  test("a clock of the server that is set back makes no window longer", async (t) => {
    const { buses, prefix } = await twoNodes(t);
    const bucket = { rateClass: "canvas", owner: "a", part: "c" } as const;
    await buses[0].take(bucket, 1, 60_000);
    await sendRedis(url, ["HSET", `${prefix}rate canvas a`, "pc", `1 0 ${Date.now() + 3_600_000}`]);
    const { allowed, resetMs } = await buses[0].take(bucket, 1, 60_000);
    assert.equal(allowed, false);
    assert.ok(resetMs <= 60_000, `${resetMs}`);
  });

  test("two instances with prefixes of their own share nothing", async (t) => {
    const [one, two] = [await openRedisBus(t, url, ownPrefix()), await openRedisBus(t, url, ownPrefix())];
    const heard: string[] = [];
    await two.subscribe("a", (message) => heard.push(message));
    await two.subscribe("end", (message) => heard.push(message));
    await one.publish("a", "other");
    await one.renewLease("one");
    await one.hold("p", { id: "1", owner: "ada", lease: "one" }, { all: 1, each: 1 });
    await one.take({ rateClass: "ai", owner: "ada" }, 1, 60_000);
    assert.deepEqual(await two.holders("p"), []);
    assert.equal((await two.take({ rateClass: "ai", owner: "ada" }, 1, 60_000)).allowed, true);
    await two.publish("end", "own");
    await until("the last has arrived", () => heard.includes("own"));
    assert.deepEqual(heard, ["own"]);
  });

  test("scripts that the server has forgotten are sent again", async (t) => {
    const { buses } = await twoNodes(t);

    await sendRedis(url, ["SCRIPT", "FLUSH", "SYNC"]);
    const taken = await times(20, () => buses[0].take({ rateClass: "ai", owner: "a" }, 5, 60_000));
    assert.equal(taken.filter(({ allowed }) => allowed).length, 5);
  });
});
