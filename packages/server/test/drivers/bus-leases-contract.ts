import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Member } from "@easel/protocol/realtime";
import { type Bus, LEASE_MS } from "../../src/drivers/bus/bus.ts";
import type { Scope } from "../support/service.ts";
import type { Opened } from "./bus-contract.ts";

const ada: Member = { id: "ada", name: "Ada" };
const bob: Member = { id: "bob", name: "Bob" };

/** Holds a place under a lease. Returns whether that succeeds. */
const hold = async (bus: Bus, place: string, limit: number, id: string, lease: string): Promise<boolean> =>
  (await bus.hold(place, { id, owner: "ada", lease }, { all: limit, each: limit + 1 })) === "held";

/**
 * Registers the tests of leases, which nodes renew to keep what they hold on the bus. A test simulates a killed node by no longer renewing
 * its lease.
 */
export function leasesContract(open: (scope: Scope) => Promise<Opened>): void {
  /** Opens a bus with the leases of two nodes. `kill` lets one expire while the other is renewed. */
  async function twoNodes(scope: Scope): Promise<{ bus: Bus; kill(lease: string): Promise<void> }> {
    const { bus, pass } = await open(scope);
    for (const lease of ["one", "two"]) await bus.renewLease(lease);
    return {
      bus,
      async kill(lease) {
        await pass(LEASE_MS / 2);
        await bus.renewLease(lease === "one" ? "two" : "one");
        await pass(LEASE_MS / 2);
      },
    };
  }

  describe("leases", () => {
    test("a lease expires within 15 seconds", () => {
      assert.ok(LEASE_MS <= 15_000);
    });

    test("a lease is kept for as long as it is renewed", async (t) => {
      const { bus, pass } = await open(t);
      assert.deepEqual(await bus.renewLease("one"), { kept: false, departed: [] });
      await hold(bus, "a", 1, "1", "one");
      await bus.join("t", ada, "1", "one");
      for (let round = 0; round < 5; round++) {
        await pass(LEASE_MS - 1_000);
        assert.deepEqual(await bus.renewLease("one"), { kept: true, departed: [] });
      }
      assert.equal(await hold(bus, "a", 1, "2", "one"), false);
      assert.deepEqual(await bus.members("t"), [ada]);
    });

    test("the places of a killed node can be taken, those of the others cannot", async (t) => {
      const { bus, kill } = await twoNodes(t);
      await hold(bus, "a", 2, "1", "one");
      await hold(bus, "a", 2, "2", "two");
      assert.equal(await hold(bus, "a", 2, "3", "two"), false);
      await kill("one");
      assert.deepEqual(
        [await hold(bus, "a", 2, "3", "two"), await hold(bus, "a", 2, "4", "two")],
        [true, false],
      );
    });

    test("a place of a killed node that another has taken is not given back to it", async (t) => {
      const { bus, kill } = await twoNodes(t);
      await hold(bus, "a", 1, "1", "one");
      await kill("one");
      assert.equal(await hold(bus, "a", 1, "2", "two"), true);
      assert.equal((await bus.renewLease("one")).kept, false);
      assert.equal(await hold(bus, "a", 1, "1", "one"), false);
    });

    test("the members of a killed node are gone, except those with connections to another node", async (t) => {
      const { bus, kill } = await twoNodes(t);
      for (const topic of ["t", "u"]) await bus.join(topic, ada, "1", "one");
      await bus.join("t", bob, "2", "one");
      await bus.join("t", bob, "3", "two");
      await kill("one");
      assert.deepEqual([await bus.members("t"), await bus.members("u")], [[bob], []]);
    });

    test("a departed member is returned once, to the node that renews first", async (t) => {
      const { bus, kill } = await twoNodes(t);
      await bus.join("t", ada, "1", "one");
      await bus.join("t", ada, "2", "one");
      await bus.join("t", bob, "3", "one");
      await bus.join("t", bob, "4", "two");
      await kill("one");
      const renewals = await Promise.all(["two", "three", "two"].map((lease) => bus.renewLease(lease)));
      assert.deepEqual(
        renewals.flatMap(({ departed }) => departed),
        [{ topic: "t", member: ada }],
      );
      assert.equal(await bus.leave("t", "ada", "1"), false);
      assert.equal(await bus.leave("t", "bob", "4"), true);
      assert.equal(await bus.join("t", ada, "5", "two"), true);
    });

    test("a member who joins before the departure is returned has neither departed nor joined", async (t) => {
      const { bus, kill } = await twoNodes(t);
      await bus.join("t", ada, "1", "one");
      await kill("one");
      assert.equal(await bus.join("t", ada, "2", "two"), false);
      assert.deepEqual(await bus.members("t"), [ada]);
      assert.deepEqual((await bus.renewLease("two")).departed, []);
      assert.equal(await bus.leave("t", "ada", "2"), true);
    });

    test("renewing an expired lease returns that it was not kept, and nothing is held under it", async (t) => {
      const { bus, pass } = await open(t);
      await bus.renewLease("one");
      await hold(bus, "a", 1, "1", "one");
      await bus.join("t", ada, "1", "one");
      await pass(LEASE_MS);
      const departed = [{ topic: "t", member: ada }];
      assert.deepEqual(await bus.renewLease("one"), { kept: false, departed });
      assert.deepEqual(await bus.members("t"), []);
      assert.deepEqual(await bus.renewLease("one"), { kept: true, departed: [] });
      assert.equal(await hold(bus, "a", 1, "2", "one"), true);
      assert.equal(await bus.join("t", ada, "1", "one"), true);
    });

    test("places and members under a lease that was never renewed do not count", async (t) => {
      const { bus } = await open(t);
      await hold(bus, "a", 1, "1", "never");
      await bus.join("t", ada, "1", "never");
      assert.deepEqual(await bus.members("t"), []);
      assert.equal(await hold(bus, "a", 1, "2", "never"), true);
    });
  });
}
