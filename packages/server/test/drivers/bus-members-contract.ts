import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Member } from "@easel/protocol/realtime";
import type { Bus } from "../../src/drivers/bus/bus.ts";
import type { Scope } from "../support/service.ts";
import type { Opened } from "./bus-contract.ts";

/** The lease under which these tests hold all places and members. A node keeps them as long as it renews its lease. */
export const NODE = "node";

const ODD = ["a", "b", "a b", "", "__proto__", "constructor", "a\0", "é", "e\u0301", "🦊"];
const member = (id: string, name = `Name of ${id}`): Member => ({ id, name });
const many = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const trues = (answers: boolean[]) => answers.filter(Boolean).length;

/** Registers the tests of places: of each kind a limited number can be held at a time. */
export function placesContract(open: (scope: Scope) => Promise<Opened>): void {
  /** Holds a place for a holder of an owner of its own. Returns whether that succeeds. */
  const hold = async (bus: Bus, place: string, limit: number, id: string): Promise<boolean> =>
    (await bus.hold(place, { id, owner: id, lease: NODE }, { all: limit, each: limit })) === "held";

  describe("places", () => {
    test("as many can be held as the limit; a released one can be held again", async (t) => {
      const { bus } = await open(t);
      const take = (holder: string) => hold(bus, "a", 2, holder);
      assert.deepEqual([await take("1"), await take("2"), await take("3")], [true, true, false]);
      await bus.release("a", "1");
      assert.deepEqual([await take("3"), await take("1"), await take("2")], [true, false, true]);
    });

    test("a holder that holds a place gets no second one", async (t) => {
      const { bus } = await open(t);
      for (let each = 0; each < 3; each++) assert.equal(await hold(bus, "a", 2, "1"), true);
      assert.equal(await hold(bus, "a", 2, "2"), true);
      assert.equal(await hold(bus, "a", 2, "1"), true);
      await bus.release("a", "1");
      assert.equal(await hold(bus, "a", 2, "3"), true);
      assert.equal(await hold(bus, "a", 2, "1"), false);
    });

    test("release has no effect for another holder, another place, or a second time", async (t) => {
      const { bus } = await open(t);
      for (const holder of ["1", "2"]) await hold(bus, "a", 2, holder);
      await bus.release("a", "3");
      await bus.release("b", "1");
      assert.equal(await hold(bus, "a", 2, "3"), false);
      for (let each = 0; each < 3; each++) await bus.release("a", "1");
      assert.deepEqual([await hold(bus, "a", 2, "3"), await hold(bus, "a", 2, "4")], [true, false]);
    });

    test("a refused holder holds nothing", async (t) => {
      const { bus } = await open(t);
      await hold(bus, "a", 1, "1");
      assert.equal(await hold(bus, "a", 1, "2"), false);
      await bus.release("a", "2");
      assert.equal(await hold(bus, "a", 1, "3"), false);
      await bus.release("a", "1");
      assert.deepEqual([await hold(bus, "a", 1, "3"), await hold(bus, "a", 1, "2")], [true, false]);
    });

    test("all names of places and holders are distinct", async (t) => {
      const { bus } = await open(t);
      for (const place of ODD)
        assert.deepEqual(
          [await hold(bus, place, 1, "1"), await hold(bus, place, 1, "2")],
          [true, false],
          place,
        );
      for (const holder of ODD) assert.equal(await hold(bus, "many", ODD.length, holder), true, holder);
      assert.equal(await hold(bus, "many", ODD.length, "one more"), false);
    });

    test("of concurrent holders, as many get a place as the limit; released ones can be held again", async (t) => {
      const { bus } = await open(t);
      for (let round = 0; round < 3; round++) {
        assert.equal(trues(await many(100, (each) => hold(bus, "a", 30, `${round} ${each}`))), 30);
        await many(100, (each) => bus.release("a", `${round} ${each}`));
      }
    });

    test("an owner has at most as many holders as the limit of each, and others still get places", async (t) => {
      const { bus } = await open(t);
      const take = (owner: string, id: string) =>
        bus.hold("a", { id, owner, lease: NODE }, { all: 4, each: 2 });
      assert.deepEqual(
        [await take("ada", "1"), await take("ada", "2"), await take("ada", "3"), await take("ada", "2")],
        ["held", "held", "owner full", "held"],
      );
      assert.deepEqual(
        [await take("bob", "4"), await take("bob", "5"), await take("eve", "6"), await take("bob", "6")],
        ["held", "held", "full", "owner full"],
      );
      await bus.release("a", "1");
      assert.deepEqual([await take("ada", "3"), await take("eve", "6")], ["held", "full"]);
      assert.equal(await bus.hold("b", { id: "1", owner: "ada", lease: NODE }, { all: 4, each: 2 }), "held");
    });

    test("of concurrent holders of an owner, as many get a place as the limit of each", async (t) => {
      const { bus } = await open(t);
      const outcomes = await many(100, (each) =>
        bus.hold("a", { id: `${each}`, owner: `${each % 2}`, lease: NODE }, { all: 30, each: 7 }),
      );
      assert.equal(outcomes.filter((each) => each === "held").length, 14);
      assert.deepEqual(
        (await bus.holders("a")).map(({ holders }) => holders),
        [7, 7],
      );
    });

    test("holders returns the owners and their numbers, the most first", async (t) => {
      const { bus } = await open(t);
      assert.deepEqual(await bus.holders("a"), []);
      for (const [id, owner] of ["ada", "bob", "bob", "__proto__"].entries())
        await bus.hold("a", { id: `${id}`, owner, lease: NODE }, { all: 9, each: 9 });
      await bus.hold("a", { id: "gone", owner: "eve", lease: "never" }, { all: 9, each: 9 });
      await bus.release("a", "3");
      assert.deepEqual(await bus.holders("a"), [
        { owner: "bob", holders: 2 },
        { owner: "ada", holders: 1 },
      ]);
      assert.deepEqual(await bus.holders("b"), []);
    });
  });
}

/** Registers the tests of members: the people who are present on a topic. */
export function membersContract(open: (scope: Scope) => Promise<Opened>): void {
  describe("members", () => {
    test("join is true for a member's first connection, leave for the last one, and false between", async (t) => {
      const { bus } = await open(t);
      const ada = member("ada");
      assert.deepEqual(
        [
          await bus.join("a", ada, "1", NODE),
          await bus.join("a", ada, "2", NODE),
          await bus.join("a", ada, "1", NODE),
        ],
        [true, false, false],
      );
      assert.deepEqual([await bus.leave("a", "ada", "1"), await bus.leave("a", "ada", "1")], [false, false]);
      assert.deepEqual(await bus.members("a"), [ada]);
      assert.deepEqual([await bus.leave("a", "ada", "2"), await bus.leave("a", "ada", "2")], [true, false]);
      assert.deepEqual(await bus.members("a"), []);
      assert.equal(await bus.join("a", ada, "1", NODE), true);
    });

    test("members are returned once, in the order in which they joined; one who returns is last", async (t) => {
      const { bus } = await open(t);
      for (const [id, connection] of [
        ["b", "1"],
        ["a", "2"],
        ["c", "3"],
        ["a", "4"],
        ["b", "5"],
      ] as const)
        await bus.join("t", member(id), connection, NODE);
      const ids = async () => (await bus.members("t")).map(({ id }) => id);
      assert.deepEqual(await ids(), ["b", "a", "c"]);
      await bus.leave("t", "b", "1");
      assert.deepEqual(await ids(), ["b", "a", "c"]);
      await bus.leave("t", "b", "5");
      assert.deepEqual(await ids(), ["a", "c"]);
      await bus.join("t", member("b"), "1", NODE);
      assert.deepEqual(await ids(), ["a", "c", "b"]);
    });

    test("leave is false for one who has not joined", async (t) => {
      const { bus } = await open(t);
      assert.equal(await bus.leave("a", "ada", "1"), false);
      await bus.join("a", member("ada"), "1", NODE);
      assert.equal(await bus.leave("a", "ada", "2"), false);
      assert.equal(await bus.leave("a", "bob", "1"), false);
      assert.equal(await bus.leave("b", "ada", "1"), false);
      assert.deepEqual(await bus.members("a"), [member("ada")]);
    });

    test("each topic has members of its own, with any characters in topic, id and name", async (t) => {
      const { bus } = await open(t);
      for (const topic of ODD) {
        assert.deepEqual(await bus.members(topic), [], topic);
        for (const id of ODD)
          assert.equal(await bus.join(topic, member(id, `${topic}\n${id}`), "1", NODE), true);
      }
      for (const topic of ODD) {
        assert.deepEqual(
          await bus.members(topic),
          ODD.map((id) => member(id, `${topic}\n${id}`)),
        );
      }
      for (const id of ODD) assert.equal(await bus.leave("__proto__", id, "1"), true, id);
      assert.deepEqual(await bus.members("__proto__"), []);
      assert.equal((await bus.members("a")).length, ODD.length);
    });

    test("changing the returned list does not change the members", async (t) => {
      const { bus } = await open(t);
      await bus.join("a", member("ada"), "1", NODE);
      (await bus.members("a")).pop();
      assert.deepEqual(await bus.members("a"), [member("ada")]);
    });

    test("of concurrent calls, one join and one leave are true", async (t) => {
      const { bus } = await open(t);
      const ada = member("ada");
      assert.equal(trues(await many(100, (each) => bus.join("a", ada, `${each}`, NODE))), 1);
      assert.equal(trues(await many(100, (each) => bus.leave("a", "ada", `${each}`))), 1);
      assert.deepEqual(await bus.members("a"), []);
    });

    test("a subscription, a place, a topic with members and a bucket may have the same name", async (t) => {
      const { bus, pass } = await open(t);
      const heard: string[] = [];
      await bus.subscribe("a", (message) => heard.push(message));
      await bus.hold("a", { id: "a", owner: "a", lease: NODE }, { all: 1, each: 1 });
      await bus.join("a", member("a"), "a", NODE);
      await bus.take({ rateClass: "canvas", owner: "a" }, 1, 1000);
      await bus.publish("a", "1");
      await pass(50);
      assert.deepEqual(heard, ["1"]);
      await bus.release("a", "a");
      assert.deepEqual(await bus.members("a"), [member("a")]);
      assert.equal(await bus.leave("a", "a", "a"), true);
      assert.equal((await bus.take({ rateClass: "canvas", owner: "a" }, 1, 1000)).allowed, false);
    });
  });
}
