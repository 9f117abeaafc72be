import assert from "node:assert/strict";
import { test } from "node:test";
import { normalEmail } from "./principal.ts";

const good: [given: string, email: string][] = [
  ["ada@example.com", "ada@example.com"],
  ["Ada.Lovelace+tea@Example.COM", "ada.lovelace+tea@example.com"],
  ["  ada@example.com\n", "ada@example.com"],
  ["ada@localhost", "ada@localhost"],
  ["ada@mail.eu.example.com", "ada@mail.eu.example.com"],
  ["o'hara@example.com", "o'hara@example.com"],
  ["josé@example.com", "josé@example.com"],
  // The Kelvin sign is kept, although its lower case is the ASCII letter k.
  ["\u212aim@example.com", "\u212aim@example.com"],
  [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
  ["a@xn--bcher-kva.example", "a@xn--bcher-kva.example"],
];
const bad = [
  "",
  "ada",
  "@example.com",
  "ada@",
  "ada@@example.com",
  "ada@evil.example@example.com",
  "ada lovelace@example.com",
  "ada@exa mple.com",
  "ada\u0000@example.com",
  "ada@example.com\u0000",
  "ada\n@example.com",
  "ada\u0085@example.com",
  "ada@example.com\nbcc: b@example.com",
  "ada@.example.com",
  "ada@example..com",
  "ada@example.com.",
  "ada@exämple.com",
  "kim@\u212aexample.com",
  "ada@example_.com",
  "ada@[127.0.0.1]",
  "ada,b@example.com",
  "ada@example.com,b@example.com",
  "Ada <ada@example.com>",
  '"ada"@example.com',
  "ada\ud800@example.com",
  "ada;b@example.com",
  `${"a".repeat(65)}@example.com`,
  `ada@${"a".repeat(64)}.com`,
  `ada@${`${"a".repeat(60)}.`.repeat(4)}example`,
];

for (const [given, email] of good) {
  test(`${JSON.stringify(given)} is ${email}`, () => assert.equal(normalEmail(given), email));
}
for (const given of bad) {
  test(`${JSON.stringify(given.slice(0, 60))} is not an address`, () =>
    assert.equal(normalEmail(given), null));
}

/** Addresses, lists of allowed domains, and whether the address is accepted. */
const domains: [given: string, allowed: string[], admitted: boolean][] = [
  ["ada@example.com", [], true],
  ["ada@example.com", ["example.com"], true],
  ["ada@EXAMPLE.com", ["Example.COM"], true],
  ["ada@example.com", ["other.example", "example.com"], true],
  ["ada@example.com", ["other.example"], false],
  ["ada@sub.example.com", ["example.com"], false],
  ["ada@notexample.com", ["example.com"], false],
  ["ada@example.com.evil.example", ["example.com"], false],
  ["example.com@evil.example", ["example.com"], false],
];
for (const [given, allowed, admitted] of domains) {
  test(`${given} ${admitted ? "passes" : "does not pass"} [${allowed}]`, () => {
    assert.equal(normalEmail(given, allowed), admitted ? given.toLowerCase() : null);
  });
}
