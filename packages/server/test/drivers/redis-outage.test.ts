import assert from "node:assert/strict";
import { after, afterEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@easel/conformance/patience";
import type { Bus, Renewal } from "../../src/drivers/bus/bus.ts";
import type { LinkTimes } from "../../src/drivers/bus/redis/redis-link.ts";
import { Unavailable } from "../../src/drivers/unavailable.ts";
import { type RedisServer, redisProgram, startRedis } from "../support/redis-server.ts";
import type { Scope } from "../support/service.ts";
import { openRedisBus, ownPrefix } from "./redis-buses.ts";

const program = redisProgram();
const skip = program === undefined && "Redis is not installed";

/** A Redis server for these tests only, because they stop and start it. */
const at = (program && (await startRedis(program))) as RedisServer;
if (program !== undefined) after(() => at.remove());

const TIMES: LinkTimes = { command: 200, connect: 300, idle: 100, pauses: [10, 50] };

/** Far above the time in which a command must be rejected, and far below the time for which a server is away. */
const BOUND_MS = 5_000;

const ada = { id: "ada", name: "Ada" };
const ONE = { all: 1, each: 1 };

/** Returns "done", "unavailable", or another error with which the promise is rejected. */
const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (error) => (error instanceof Unavailable ? "unavailable" : error),
  );

let topics = 0;

/** Every command of a bus that a request may wait for. */
const commands = (bus: Bus): Promise<unknown>[] => [
  bus.take({ rateClass: "canvas", owner: "a" }, 1_000, 60_000),
  bus.giveBack({ rateClass: "canvas", owner: "a" }),
  bus.publish("t", "x"),
  bus.subscribe(`u ${topics++}`, () => {}),
  bus.hold("p", { id: "x", owner: "ada", lease: "one" }, { all: 9, each: 9 }),
  bus.holders("p"),
  bus.release("p", "x"),
  bus.join("t", ada, "x", "one"),
  bus.members("t"),
  bus.leave("t", "ada", "x"),
  bus.renewLease("one"),
];

/** A bus whose lease is `lease`, and what it has told. */
async function openNode(scope: Scope, prefix: string, lease: string, times: Partial<LinkTimes> = {}) {
  const told: string[] = [];
  const events = { onAway: () => told.push("away"), onBack: () => told.push("back") };
  const bus = await openRedisBus(scope, at.url, prefix, events, { ...TIMES, ...times });
  await bus.renewLease(lease);
  return { bus, told };
}

describe("a Redis server that is not available", { skip, timeout: 120_000 }, () => {
  // A test that fails leaves the server to the next one as it found it.
  afterEach(async () => {
    at.thaw();
    if (!at.isRunning()) await at.start();
  });

  for (const [how, down, up] of [
    ["killed, and started again empty", () => at.stop("SIGKILL"), () => at.start()],
    ["frozen", async () => at.freeze(), async () => at.thaw()],
  ] as const) {
    test(`${how}: pending and new commands are rejected in time until it is back`, async (t) => {
      const { bus, told } = await openNode(t, ownPrefix(), "one");
      assert.deepEqual(new Set(await Promise.all(commands(bus).map(outcome))), new Set(["done"]));
      await down();
      for (const round of ["pending", "new"]) {
        const started = performance.now();
        const outcomes = await Promise.all(commands(bus).map(outcome));
        assert.deepEqual(new Set(outcomes), new Set(["unavailable"]), round);
        assert.ok(performance.now() - started < BOUND_MS, round);
      }
      assert.deepEqual(told, ["away"]);
      await up();
      await until("it is back", () => told.length > 1);
      assert.deepEqual(told, ["away", "back"]);
      await bus.renewLease("one");
      assert.deepEqual(new Set(await Promise.all(commands(bus).map(outcome))), new Set(["done"]));
    });
  }

  test("a server that freezes while nothing is asked is noticed", async (t) => {
    const { told } = await openNode(t, ownPrefix(), "one");
    at.freeze();
    try {
      await until("it is known to be away", () => told.length > 0);
    } finally {
      at.thaw();
    }
    await until("it is back", () => told.length > 1);
  });

  test("a blocked event loop is not taken for a server that is away", async (t) => {
    const { bus, told } = await openNode(t, ownPrefix(), "one");
    const cell = new Int32Array(new SharedArrayBuffer(4));
    for (let round = 0; round < 5; round++) {
      at.freeze();
      const pending = bus.take({ rateClass: "canvas", owner: "a" }, 1_000, 60_000);
      await sleep(TIMES.command / 4);
      // The response arrives while the event loop is blocked. In the next turn, timers are due before it is read.
      await new Promise(setImmediate);
      at.thaw();
      Atomics.wait(cell, 0, 0, 2 * TIMES.command);
      assert.equal(await outcome(pending), "done");
    }
    assert.deepEqual(told, []);
  });

  test("more commands than may wait are rejected at once", async (t) => {
    const { bus } = await openNode(t, ownPrefix(), "one", { command: 20_000 });
    const all = Array.from({ length: 10_001 }, () => outcome(bus.publish("t", "")));
    assert.equal(await all.at(-1), "unavailable");
    assert.equal(await all[0], "done");
    await Promise.all(all);
    assert.equal(await outcome(bus.publish("t", "")), "done");
  });

  test("back: places are refused until the lease is renewed", async (t) => {
    const { bus, told } = await openNode(t, ownPrefix(), "one");
    const holder = { id: "1", owner: "ada", lease: "one" };
    await at.stop("SIGKILL");
    await at.start();
    await until("it is back", () => told.includes("back"));
    assert.equal(await outcome(bus.hold("p", holder, ONE)), "unavailable");
    assert.equal(await outcome(bus.join("t", ada, "1", "one")), "unavailable");
    assert.equal((await bus.take({ rateClass: "ai", owner: "a" }, 1, 60_000)).allowed, true);
    assert.deepEqual(await bus.renewLease("one"), { kept: false, departed: [] });
    assert.equal(await bus.hold("p", holder, ONE), "held");
    assert.equal(await bus.join("t", ada, "1", "one"), true);
    assert.deepEqual(await bus.renewLease("one"), { kept: true, departed: [] });
  });

  test("back, and nothing lost: the node has what it had", async (t) => {
    const { bus, told } = await openNode(t, ownPrefix(), "one");
    const holder = { id: "1", owner: "ada", lease: "one" };
    await bus.hold("p", holder, ONE);
    await bus.join("t", ada, "1", "one");
    await at.send("CLIENT", "KILL", "TYPE", "pubsub");
    await until("it is back", () => told.includes("back"));
    assert.deepEqual(await bus.renewLease("one"), { kept: true, departed: [] });
    assert.deepEqual(await bus.holders("p"), [{ owner: "ada", holders: 1 }]);
  });

  test("what a node gives up while the server is away is gone when it is back", async (t) => {
    const prefix = ownPrefix();
    const { bus, told } = await openNode(t, prefix, "one");
    await bus.hold("p", { id: "1", owner: "ada", lease: "one" }, { all: 2, each: 2 });
    await bus.hold("p", { id: "2", owner: "ada", lease: "one" }, { all: 2, each: 2 });
    await bus.join("t", ada, "1", "one");
    await bus.join("t", { id: "bob", name: "Bob" }, "2", "one");
    at.freeze();
    const given = [bus.release("p", "1"), bus.leave("t", "ada", "1")].map(outcome);
    assert.deepEqual(await Promise.all(given), ["unavailable", "unavailable"]);
    at.thaw();
    await until("it is back", () => told.includes("back"));
    const { kept, departed }: Renewal = await bus.renewLease("one");
    // The frozen server may have run the commands when it went on, and then nobody has departed since.
    const left = departed.filter(({ member }) => member.id !== "ada");
    assert.deepEqual([kept, left], [true, []]);
    assert.deepEqual(await bus.holders("p"), [{ owner: "ada", holders: 1 }]);
    assert.deepEqual(await bus.members("t"), [{ id: "bob", name: "Bob" }]);
  });

  test("back without a part of what a node had, as after a failover: its lease was not kept", async (t) => {
    const prefix = ownPrefix();
    const { bus, told } = await openNode(t, prefix, "one");
    await bus.hold("p", { id: "1", owner: "ada", lease: "one" }, ONE);
    await bus.join("t", ada, "stale", "one");
    await at.send("SREM", `${prefix}held one`, '["place","p","1"]');
    await at.send("SADD", `${prefix}held one`, JSON.stringify(["member", '"t"', "bob", "5"]));
    const present = JSON.stringify({ order: 9, name: "Bob", connections: { 5: "one" } });
    await at.send("HSET", `${prefix}members "t"`, "bob", present);
    await at.send("CLIENT", "KILL", "TYPE", "pubsub");
    await until("it is back", () => told.includes("back"));
    const departed = [{ topic: "t", member: { id: "bob", name: "Bob" } }];
    assert.deepEqual(await bus.renewLease("one"), { kept: false, departed });
    assert.deepEqual(await bus.members("t"), [ada]);
  });

  test("back: subscriptions go on, and missed messages are told of before any other is delivered", async (t) => {
    const prefix = ownPrefix();
    const [one, two] = [await openNode(t, prefix, "one"), await openNode(t, prefix, "two")];
    const heard: string[] = [];
    one.bus.onMissed((isMissed) => heard.push(`missed a: ${isMissed("a")}`));
    await one.bus.subscribe("a", (message) => heard.push(message));
    await two.bus.publish("a", "before");
    await until("it has arrived", () => heard.length > 0);
    let isOver = false;
    const publishing = (async () => {
      for (let each = 0; !isOver; each++) await two.bus.publish("a", `${each}`).catch(() => {});
    })();
    for (let round = 1; round <= 5; round++) {
      const marked = () => heard.filter((each) => each.startsWith("missed")).length;
      const before = marked();
      // Only the connection of the first node is cut: it is the one with the lower id.
      const clients = String(await at.send("CLIENT", "LIST", "TYPE", "pubsub"));
      const ids = [...clients.matchAll(/^id=(\d+)/gm)].map(([, id]) => Number(id)).sort((a, b) => a - b);
      await at.send("CLIENT", "KILL", "ID", String(round === 1 ? ids[0] : ids.at(-1)));
      await until("it is back", () => marked() > before);
      const length = heard.length;
      await until("messages arrive again", () => heard.length > length + 10);
    }
    isOver = true;
    await publishing;
    // Numbers only skip where a gap was told.
    let previous: number | null = null;
    for (const each of heard.slice(1)) {
      const number = Number(each);
      if (Number.isNaN(number)) previous = null;
      else {
        if (previous !== null) assert.equal(number, previous + 1);
        previous = number;
      }
    }
    assert.deepEqual([...one.told, ...two.told].filter((each) => each === "away").length, 5);
  });

  test("a message that could not be published is told as missed to the nodes that were never cut off", async (t) => {
    const prefix = ownPrefix();
    const { bus: cut, told } = await openNode(t, prefix, "one");
    const other = await openRedisBus(t, at.url, prefix, {}, { ...TIMES, command: 60_000 });
    const missed: [boolean, boolean][] = [];
    other.onMissed((isMissed) => missed.push([isMissed("access"), isMissed("changes")]));
    at.freeze();
    assert.equal(await outcome(cut.publish("access", "x")), "unavailable");
    at.thaw();
    await until("it is back", () => told.includes("back"));
    await until("it is told", () => missed.length > 0);
    assert.deepEqual(missed, [[true, false]]);
  });

  test("a server that has become a replica is left", async (t) => {
    const { bus, told } = await openNode(t, ownPrefix(), "one");
    await at.send("REPLICAOF", "127.0.0.1", "1");
    assert.equal(await outcome(bus.renewLease("one")), "unavailable");
    await at.send("REPLICAOF", "NO", "ONE");
    await until("it is back", () => told.includes("back"));
    assert.deepEqual(told.slice(0, 1), ["away"]);
    assert.equal(await outcome(bus.renewLease("one")), "done");
  });

  test("a server without memory refuses, which is no mistake of the service", async (t) => {
    const { bus } = await openNode(t, ownPrefix(), "one");
    await at.send("CONFIG", "SET", "maxmemory", "1");
    try {
      assert.equal(await outcome(bus.take({ rateClass: "ai", owner: "a" }, 1, 60_000)), "unavailable");
    } finally {
      await at.send("CONFIG", "SET", "maxmemory", "0");
    }
    assert.equal(await outcome(bus.take({ rateClass: "ai", owner: "a" }, 1, 60_000)), "done");
  });

  test("a listener that throws is told of, and stops no other", async (t) => {
    const errors: unknown[] = [];
    const heard: string[] = [];
    const bus = await openRedisBus(t, at.url, ownPrefix(), { onError: (error) => errors.push(error) });
    const mine = new Error("mine");
    await bus.subscribe("a", () => {
      throw mine;
    });
    await bus.subscribe("a", (message) => heard.push(message));
    for (const message of ["1", "2"]) await bus.publish("a", message);
    await until("both have arrived", () => heard.length === 2);
    assert.deepEqual(errors, [mine, mine]);
  });

  test("a closed bus rejects, and connects no more", async (t) => {
    const { bus, told } = await openNode(t, ownPrefix(), "one");
    const pending = outcome(bus.members("t"));
    await bus.close();
    assert.equal(await pending, "unavailable");
    assert.deepEqual(new Set(await Promise.all(commands(bus).map(outcome))), new Set(["unavailable"]));
    assert.deepEqual(told, []);
    await until("the connection is closed", async () => {
      const clients = String(await at.send("CLIENT", "LIST"));
      return !clients.includes("name=easel");
    });
  });
});
