import assert from "node:assert/strict";
import type { LookupAddress, LookupAllOptions } from "node:dns";
import { BlockList, isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { suite, test } from "node:test";
import { ABSENT, samples } from "@easel/conformance/corpus";
import fc from "fast-check";
import {
  checkedLookup,
  isApprovedAddress,
  isLocalAddress,
  isPublicAddress,
  resolveChecked,
} from "./checked-lookup.ts";
import { DestinationBlocked } from "./outbound.ts";

/**
 * IPv4 ranges that are not public: the IANA special-purpose registry and multicast. An entry of the registry is left out if it lies within
 * another one.
 */
const IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** IPv6 ranges that are not public: those in the IANA special-purpose registry, deprecated ranges and multicast ranges. */
const IPV6 = [
  "::/128",
  "::1/128",
  "::/96",
  "::ffff:0:0/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "100:0:0:1::/64",
  "2001::/23",
  "2001::/32",
  "2001:1::1/128",
  "2001:1::2/128",
  "2001:1::3/128",
  "2001:2::/48",
  "2001:3::/32",
  "2001:4:112::/48",
  "2001:10::/28",
  "2001:20::/28",
  "2001:30::/28",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];

/** The address at which virtual machines in Azure reach their host. No IANA registry lists it. */
const CLOUD = "168.63.129.16/32";

interface Range {
  first: bigint;
  last: bigint;
}

/** Reads an IPv4 or IPv6 address as a number. */
function read(address: string): bigint {
  const join = (parts: string[], radix: string, bits: bigint) =>
    parts.reduce((sum, part) => (sum << bits) | BigInt(`${radix}${part}`), 0n);
  if (isIPv4(address)) return join(address.split("."), "", 8n);
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const zeros = address.includes("::") ? 8 - groups(head).length - groups(tail).length : 0;
  return join([...groups(head), ...new Array(zeros).fill("0"), ...groups(tail)], "0x", 16n);
}

function rangeOf(cidr: string): Range {
  const [address = "", prefix] = cidr.split("/");
  const size = 1n << BigInt((isIPv4(address) ? 32 : 128) - Number(prefix));
  return { first: read(address), last: read(address) + size - 1n };
}

const dotted = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");

/** The eight groups of an IPv6 address in hexadecimal. */
const groupsOf = (value: bigint) =>
  [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((value >> shift) & 0xffffn).toString(16));

/** Spells an IPv6 address in the ways that RFC 4291 allows. */
function spellings(value: bigint): string[] {
  const groups = groupsOf(value);
  const full = groups.join(":");
  const withDots = `${groups.slice(0, 6).join(":")}:${dotted(value & 0xffffffffn)}`;
  const padded = groups.map((group) => group.padStart(4, "0")).join(":");
  // `::` stands for the first run of zeros, here also for one of a single group.
  const short = full.replace(/(^|:)0(:0)*(:|$)/, "::");
  return [
    full,
    full.toUpperCase(),
    withDots,
    padded,
    short,
    new URL(`http://[${full}]`).hostname.slice(1, -1),
  ];
}

/** The IPv6 addresses that embed an IPv4 address: compatible, mapped, translated, NAT64 (three prefixes), 6to4 and Teredo. */
const embeddings = (value: bigint): bigint[] => [
  value,
  (0xffffn << 32n) | value,
  (0xffffn << 48n) | value,
  (read("64:ff9b::") as bigint) | value,
  read("64:ff9b:1::") | value,
  read("64:ff9b:1::") | ((value >> 16n) << 64n) | ((value & 0xffffn) << 40n),
  read("2002::") | (value << 80n) | 1n,
  read("2001::") | (value << 64n),
  read("2001::") | (value ^ 0xffffffffn),
];

const ranges4 = [...IPV4, CLOUD].map(rangeOf);
const ranges6 = IPV6.map(rangeOf);
const within = (value: bigint, ranges: Range[]) =>
  ranges.some(({ first, last }) => value >= first && value <= last);

const GLOBAL = rangeOf("2000::/3");
const isPublic4 = (value: bigint) => !within(value, ranges4);
const isPublic6 = (value: bigint) => within(value, [GLOBAL]) && !within(value, ranges6);

const LAST4 = (1n << 32n) - 1n;
const LAST6 = (1n << 128n) - 1n;

/**
 * Creates a generator of addresses as numbers from 0 to `last`. A third are random, a third lie within one of the ranges, and a third are
 * at most 2 away from the edge of a range.
 */
const values = (ranges: Range[], last: bigint) =>
  fc.oneof(
    fc.bigInt(0n, last),
    fc.constantFrom(...ranges).chain((range) => fc.bigInt(range.first, range.last)),
    fc
      .constantFrom(...ranges.flatMap((range) => [range.first, range.last]))
      .chain((edge) => fc.bigInt(-2n, 2n).map((step) => edge + step))
      .filter((value) => value >= 0n && value <= last),
  );

/** Approves every address of both versions. */
const everything = new BlockList();
everything.addSubnet("0.0.0.0", 0, "ipv4");
everything.addSubnet("::", 0, "ipv6");

suite("public addresses", () => {
  for (const cidr of [...IPV4, CLOUD])
    test(`${cidr} is not public, in no spelling, but its neighbours are`, () => {
      const { first, last } = rangeOf(cidr);
      for (const value of [first, last]) {
        assert.equal(isPublicAddress(dotted(value)), false, dotted(value));
        for (const address of embeddings(value).flatMap(spellings)) {
          assert.equal(isPublicAddress(address), false, address);
          assert.equal(isPublicAddress(`${address}%eth0`), false, address);
        }
      }
      for (const value of [first - 1n, last + 1n].filter((each) => each >= 0n && each <= LAST4))
        assert.equal(isPublicAddress(dotted(value)), isPublic4(value), dotted(value));
    });

  for (const cidr of IPV6)
    test(`${cidr} is not public, but its neighbours in 2000::/3 are`, () => {
      const { first, last } = rangeOf(cidr);
      for (const address of [first, last].flatMap(spellings))
        assert.equal(isPublicAddress(address), false, address);
      for (const value of [first - 1n, last + 1n].filter((each) => each >= 0n && each <= LAST6))
        for (const address of spellings(value))
          assert.equal(isPublicAddress(address), isPublic6(value), address);
    });

  test("2000::/3 is public from its first address to its last, and nothing beside it", () => {
    const table: [address: string, expected: boolean][] = [
      ["1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false],
      ["2000::", true],
      ["2a00:1450:4001:80b::200e", true],
      ["2A00:1450:4001:80B::200E", true],
      ["2a00:1450:4001:80b::8.8.8.8", true],
      ["2a00:1450:4001:80b::200e%eth0", false],
      ["3fff:1000::", true],
      ["3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true],
      ["4000::", false],
    ];
    for (const [address, expected] of table) assert.equal(isPublicAddress(address), expected, address);
  });

  test("a text that is not an IP address is not public", () => {
    for (const text of [
      "",
      "example.com",
      "8.8.8",
      "08.8.8.8",
      "0x8.8.8.8",
      "134744072",
      "8.8.8.8 ",
      "[2a00::1]",
    ]) {
      assert.equal(isPublicAddress(text), false, text);
      assert.equal(isApprovedAddress(text, everything), false, text);
    }
  });

  test("random IPv4 addresses are public as the registry says", () => {
    fc.assert(
      fc.property(values(ranges4, LAST4), (value) => isPublicAddress(dotted(value)) === isPublic4(value)),
      { numRuns: 3000 },
    );
  });

  test("random IPv6 addresses are public as the registry says, in each spelling", () => {
    fc.assert(
      fc.property(values([...ranges6, GLOBAL], LAST6), (value) =>
        spellings(value).every((address) => isPublicAddress(address) === isPublic6(value)),
      ),
      { numRuns: 3000 },
    );
  });
});

suite("approved addresses", () => {
  const approved = new BlockList();
  approved.addSubnet("10.1.0.0", 16, "ipv4");
  approved.addSubnet("fd12::", 32, "ipv6");

  const table: [address: string, expected: boolean][] = [
    ["10.0.255.255", false],
    ["10.1.0.0", true],
    ["10.1.255.255", true],
    ["10.2.0.0", false],
    ["::ffff:10.1.0.1", false],
    ["::ffff:a01:1", false],
    ["fd11:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false],
    ["fd12::", true],
    ["FD12:0:FFFF:ffff:ffff:ffff:ffff:ffff", true],
    ["fd12::%eth0", false],
    ["fd12:1::", false],
    ["8.8.8.8", false],
  ];
  for (const [address, expected] of table)
    test(`${address} is ${expected ? "" : "not "}approved by 10.1.0.0/16 and fd12::/32`, () =>
      assert.equal(isApprovedAddress(address, approved), expected));

  const never = [
    "0.0.0.0/8",
    "224.0.0.0/4",
    "255.255.255.255/32",
    "::/128",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "2001::/32",
    "2002::/16",
    "ff00::/8",
  ];
  for (const cidr of never)
    test(`${cidr} cannot be approved`, () => {
      const spell = cidr.includes(":") ? spellings : (value: bigint) => [dotted(value)];
      const { first, last } = rangeOf(cidr);
      for (const address of [first, last].flatMap(spell))
        assert.equal(isApprovedAddress(address, everything), false, address);
    });

  test("an IPv6 address that embeds an IPv4 address cannot be approved", () => {
    const addresses = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "8.8.8.8"].map(read).flatMap(embeddings);
    for (const address of addresses.flatMap(spellings))
      assert.equal(isApprovedAddress(address, everything), false, address);
  });

  test("all other addresses can be approved, and the IPv6 loopback address, too", () => {
    const addresses = [
      "127.0.0.1",
      "169.254.169.254",
      "192.168.0.1",
      "240.0.0.1",
      "::1",
      "fe80::1",
      "fc00::1",
    ];
    for (const address of addresses) assert.equal(isApprovedAddress(address, everything), true, address);
  });
});

suite("a corpus of addresses of attacks", { skip: samples("ssrf") === null && ABSENT }, () => {
  const text = (name: string) =>
    samples("ssrf")
      ?.find((each) => each.name === name)
      ?.bytes.toString() ?? "";

  test("no denied range is public", () => {
    const { deny } = JSON.parse(text("antissrf-recommendedV1.json")) as { deny: string[] };
    assert.ok(deny.length > 30);
    for (const { first, last } of deny.map(rangeOf)) {
      const spell = last <= LAST4 && first > 1n ? (value: bigint) => [dotted(value)] : spellings;
      for (const address of [first, last].flatMap(spell))
        assert.equal(isPublicAddress(address), false, address);
    }
  });

  test("addresses are classified as expected", () => {
    const { classify } = JSON.parse(text("smokescreen-cases.json")) as {
      classify: { ip: string; smokescreen: string; note_user_configured: boolean }[];
    };
    const byDefault = classify.filter((each) => !each.note_user_configured);
    const [allowed, denied] = [/^ipAllow/, /^ipDeny/].map((verdict) =>
      byDefault.filter(({ smokescreen }) => verdict.test(smokescreen)).map(({ ip }) => ip),
    ) as [string[], string[]];
    assert.ok(allowed.length > 5 && denied.length > 20);
    for (const ip of denied) assert.equal(isPublicAddress(ip), false, ip);
    // A configuration of the corpus allows private addresses. IPv6 addresses outside 2000::/3 are not assigned.
    const isExpected = (ip: string) =>
      isIPv4(ip) ? !/^(172\.16|192\.168)\./.test(ip) : within(read(ip), [GLOBAL]);
    for (const ip of allowed) assert.equal(isPublicAddress(ip), isExpected(ip), ip);
  });

  test("safe addresses are public, unsafe ones are not", () => {
    const { safe, unsafe } = JSON.parse(text("ssrf_filter-cases.json")) as Record<
      "safe" | "unsafe",
      string[]
    >;
    assert.ok(safe.length > 0 && unsafe.length > 0);
    for (const address of safe) assert.equal(isPublicAddress(address), true, address);
    for (const address of unsafe) assert.equal(isPublicAddress(address), false, address);
  });
});

const SERVICE_PORT = 3000;
const rules = { approved: new BlockList(), servicePort: SERVICE_PORT };
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
    await assert.rejects(resolveChecked("api.test", SERVICE_PORT, resolve, approving), DestinationBlocked);
  });
});

suite("own addresses", () => {
  for (const address of ["127.0.0.1", "127.255.255.255", "::1"])
    test(`${address} is this machine on the port of the service only`, () => {
      assert.equal(isLocalAddress(address, SERVICE_PORT, SERVICE_PORT), true);
      assert.equal(isLocalAddress(address, SERVICE_PORT + 1, SERVICE_PORT), false);
    });

  test("an address of a network interface is this machine on every port, if it is not internal", () => {
    for (const { address, internal } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
      assert.equal(isLocalAddress(address, SERVICE_PORT, SERVICE_PORT), true, address);
      assert.equal(isLocalAddress(address, 443, SERVICE_PORT), !internal, address);
    }
  });

  test("another address is not this machine", () => {
    for (const address of [PUBLIC, PUBLIC_V6, "10.255.1.2"])
      assert.equal(isLocalAddress(address, SERVICE_PORT, SERVICE_PORT), false, address);
  });
});
