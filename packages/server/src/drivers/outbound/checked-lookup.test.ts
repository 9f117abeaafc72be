import assert from "node:assert/strict";
import type { LookupAddress, LookupAllOptions } from "node:dns";
import { BlockList, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { suite, test } from "node:test";
import { checkedLookup, resolveChecked } from "./checked-lookup.ts";
import { DestinationBlocked } from "./outbound.ts";
import { isOwnAddress } from "./own-addresses.ts";

const OWN_PORT = 3000;
const rules = { approved: new BlockList(), ownPort: () => OWN_PORT };
const approving = { ...rules, approved: new BlockList() };
approving.approved.addSubnet("127.0.0.0", 8, "ipv4");

const answer = (...addresses: string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));

/**
 * Creates a fake `resolve` whose calls return one answer after the other, then always the last. `asked` collects the host names of the
 * calls.
 */
function resolver(...answers: LookupAddress[][]) {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return answers[Math.min(asked.length, answers.length) - 1] ?? [];
  };
  return { asked, resolve };
}

/** Calls a lookup function as a socket does. Resolves with the arguments of the callback. */
const looked = (lookup: ReturnType<typeof checkedLookup>, all: boolean) =>
  new Promise<unknown[]>((resolve) =>
    lookup("api.test", { all } as LookupAllOptions, (...given: unknown[]) => resolve(given)),
  );

const PUBLIC = "93.184.215.14";
const PUBLIC_V6 = "2606:2800:21f:cb07::1";

suite("checked lookups", () => {
  const blocked = [
    ["10.0.0.1"],
    [PUBLIC, "10.0.0.1"],
    ["10.0.0.1", PUBLIC],
    [PUBLIC, PUBLIC_V6, "::1"],
    [PUBLIC, `::ffff:${PUBLIC}`],
    [PUBLIC, "fe80::1%eth0"],
    [PUBLIC, "not an address"],
  ];
  for (const addresses of blocked)
    test(`${addresses.join(" and ")}: blocked`, async () => {
      const { resolve } = resolver(answer(...addresses));
      await assert.rejects(resolveChecked("api.test", 443, resolve, rules), DestinationBlocked);
      for (const all of [true, false]) {
        const [error, found] = await looked(checkedLookup(443, resolve, rules), all);
        assert.ok(error instanceof DestinationBlocked);
        assert.deepEqual(found, []);
      }
    });

  test("a lookup resolves once, and returns the addresses that it has checked", async () => {
    const { asked, resolve } = resolver(answer(PUBLIC, PUBLIC_V6), answer("10.0.0.1"));
    const lookup = checkedLookup(443, resolve, rules);
    assert.deepEqual(await looked(lookup, true), [null, answer(PUBLIC, PUBLIC_V6)]);
    assert.deepEqual(asked, ["api.test"]);
    assert.ok((await looked(lookup, true))[0] instanceof DestinationBlocked);
    assert.equal(asked.length, 2);
  });

  test("for a single address, a lookup returns the first one with its family", async () => {
    const { resolve } = resolver(answer(PUBLIC_V6, PUBLIC));
    assert.deepEqual(await looked(checkedLookup(443, resolve, rules), false), [null, PUBLIC_V6, 6]);
  });

  test("no address and a failed resolution are errors, but do not mean that the destination is blocked", async () => {
    const failure = new Error("ENOTFOUND");
    const [error] = await looked(
      checkedLookup(443, () => Promise.reject(failure), rules),
      true,
    );
    assert.equal(error, failure);
    const [none] = await looked(checkedLookup(443, resolver([]).resolve, rules), true);
    assert.ok(none instanceof Error && !(none instanceof DestinationBlocked));
  });

  test("an approved loopback address is reached on each port but that of the service", async () => {
    const { resolve } = resolver(answer("127.0.0.1"));
    assert.deepEqual(await resolveChecked("api.test", 3001, resolve, approving), answer("127.0.0.1"));
    await assert.rejects(resolveChecked("api.test", OWN_PORT, resolve, approving), DestinationBlocked);
  });
});

suite("own addresses", () => {
  for (const address of ["127.0.0.1", "127.255.255.255", "::1"])
    test(`${address} is this machine on the port of the service only`, () => {
      assert.equal(isOwnAddress(address, OWN_PORT, OWN_PORT), true);
      assert.equal(isOwnAddress(address, OWN_PORT + 1, OWN_PORT), false);
    });

  test("an address of a network interface is this machine on every port, if it is not internal", () => {
    for (const { address, internal } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
      assert.equal(isOwnAddress(address, OWN_PORT, OWN_PORT), true, address);
      assert.equal(isOwnAddress(address, 443, OWN_PORT), !internal, address);
    }
  });

  test("another address is not this machine", () => {
    for (const address of [PUBLIC, PUBLIC_V6, "10.255.1.2"])
      assert.equal(isOwnAddress(address, OWN_PORT, OWN_PORT), false, address);
  });
});
