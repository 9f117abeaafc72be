import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Base } from "../../config/addresses.ts";
import { isServiceOrigin, parseOrigin } from "./profiles.ts";

suite("origins of profiles", () => {
  const valid: [given: string, origin: string][] = [
    ["https://api.example.com", "https://api.example.com"],
    ["https://api.example.com/", "https://api.example.com"],
    ["HTTPS://API.Example.com:443", "https://api.example.com"],
    ["https://api.example.com:8443/", "https://api.example.com:8443"],
    ["https://localhost:8443", "https://localhost:8443"],
    ["https://my_api.example.com", "https://my_api.example.com"],
    ["https://xn--bcher-kva.example", "https://xn--bcher-kva.example"],
  ];
  for (const [given, origin] of valid)
    test(`${given} is ${origin}`, () => assert.equal(parseOrigin(given), origin));

  const invalid = [
    "",
    "api.example.com",
    "http://api.example.com",
    "wss://api.example.com",
    "https:api.example.com",
    "https:\\\\api.example.com",
    "//api.example.com",
    " https://api.example.com",
    "https://api.example.com\n",
    "https://api.\texample.com",
    "https://api.example.com//",
    "https://api.example.com/path",
    "https://api.example.com?query",
    "https://api.example.com/#fragment",
    "https://user@api.example.com",
    "https://user:secret@api.example.com",
    "https://@api.example.com",
    "https://api.example.com.",
    "https://api..example.com",
    "https://.example.com",
    "https://*.example.com",
    "https://api.example.com:",
    "https://api.example.com:65536",
    "https://api%2eexample.com",
    "https://b\u00fccher.example",
    "https://\u24d4xample.com",
    "https://example\u3002com",
    "https://127.0.0.1",
    "https://127.1",
    "https://127.0.0.1.",
    "https://0",
    "https://0x7f.1",
    "https://0x7f000001",
    "https://0177.0.0.1",
    "https://2130706433",
    "https://1\u2460.0.0.1",
    "https://8.8.8.8:8443",
    "https://256.1.1.1",
    "https://[::1]",
    "https://[::ffff:10.0.0.1]",
    "https://[fe80::1%25eth0]",
    "https://[2a00::1]:8443",
    `https://${"a.".repeat(130)}com`,
  ];
  for (const given of invalid)
    test(`${JSON.stringify(given.slice(0, 40))} is no origin`, () => assert.equal(parseOrigin(given), null));
});

/** Creates a base URL with only those fields that `isServiceOrigin` reads. */
const baseAt = (host: string, urlMode: Base["urlMode"]) =>
  ({
    host,
    hostname: host.replace(/:\d+$/, ""),
    urlMode,
    labelOf: (name: string) =>
      urlMode === "subdomain" && name.endsWith(`.${host}`) ? name.slice(0, -host.length - 1) : null,
  }) as Base;

suite("the origin of the service", () => {
  const table: [origin: string, host: string, mode: Base["urlMode"], expected: boolean][] = [
    ["https://easel.example", "easel.example", "path", true],
    ["https://easel.example:8443", "easel.example", "path", true],
    ["https://easel.example", "easel.example:3000", "path", true],
    ["https://sales.easel.example", "easel.example", "path", false],
    ["https://sales.easel.example", "easel.example", "subdomain", true],
    ["https://sales.easel.example:8443", "easel.example", "subdomain", true],
    ["https://a.sales.easel.example", "easel.example", "subdomain", true],
    ["https://noteasel.example", "easel.example", "subdomain", false],
    ["https://example", "easel.example", "subdomain", false],
    ["https://localhost:3000", "localhost:3000", "path", true],
    ["https://localhost:3001", "localhost:3000", "path", false],
    ["https://sales.easel.localhost:3000", "easel.localhost:3000", "subdomain", true],
    ["https://sales.easel.localhost:3001", "easel.localhost:3000", "subdomain", false],
  ];
  for (const [origin, host, mode, expected] of table)
    test(`${origin} is ${expected ? "" : "not "}the service at ${host}, by ${mode}`, () =>
      assert.equal(isServiceOrigin(origin, baseAt(host, mode)), expected));
});
