import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../config/config.ts";
import { isTrustedPeer } from "./proxy.ts";

const LISTED = "10.1.0.0/16, 192.0.2.7, 2001:db8::/32, fd00::7, fe80::/10";

/** The IP addresses of peers, and whether their identity headers are trusted. */
const rows: [address: string | undefined, trusted: boolean][] = [
  ["10.1.0.0", true],
  ["10.1.255.255", true],
  ["10.2.0.0", false],
  ["192.0.2.7", true],
  ["192.0.2.8", false],
  ["127.0.0.1", false],
  ["2001:db8::", true],
  ["2001:db8:ffff::1", true],
  ["2001:DB8::1", true],
  ["2001:db9::1", false],
  ["fd00::7", true],
  ["fd00:0:0:0:0:0:0:7", true],
  ["fd00::8", false],
  ["::1", false],
  ["::ffff:10.1.2.3", true],
  ["::ffff:a01:203", true],
  ["::ffff:192.0.2.7", true],
  ["::ffff:10.2.0.0", false],
  ["::10.1.2.3", false],
  ["fe80::1%eth0", true],
  ["10.1.2.3:80", false],
  ["10.1.2", false],
  ["010.1.2.3", false],
  ["10.1.2.3\n", false],
  ["10.1.2.3, 10.1.2.4", false],
  ["proxy.example", false],
  ["", false],
  [undefined, false],
];

const listed = readConfig({ SERVICE_PROXY_TRUSTED_IPS: LISTED });
for (const [address, trusted] of rows) {
  test(`${address ?? "no address"} is ${trusted ? "trusted" : "not trusted"}`, () => {
    assert.equal(isTrustedPeer(address, listed), trusted);
  });
}

test("a mapped IPv6 network contains the plain IPv4 addresses", () => {
  const mapped = readConfig({ SERVICE_PROXY_TRUSTED_IPS: "::ffff:10.1.0.0/112" });
  assert.deepEqual(
    ["10.1.2.3", "::ffff:10.1.2.3", "10.2.0.0"].map((address) => isTrustedPeer(address, mapped)),
    [true, true, false],
  );
});

test("an empty list trusts no peer", () => {
  for (const address of ["127.0.0.1", "::1", "0.0.0.0"]) {
    assert.equal(isTrustedPeer(address, readConfig({})), false);
  }
});
