import assert from "node:assert/strict";
import { test } from "node:test";
import { type Config, readConfig } from "./config.ts";

const proxy = {
  SERVICE_AUTH_MODE: "proxy",
  SERVICE_SESSION_SECRET: "s".repeat(32),
  SERVICE_PROXY_TRUSTED_IPS: "10.0.0.0/8",
};

/** The default values that the specification and the documentation of the management API state. */
const defaults: Partial<Config> = {
  rateLimit: true,
  canvasPerMinute: 120,
  aiPerMinute: 10,
  managementPerMinute: 240,
  loginPerMinute: 20,
  gatePerMinute: 10,
  realtime: true,
  authoring: false,
  authoringRungs: ["private", "specific_people", "whole_org", "public_link"],
  authoringMaxExpiryDays: 0,
  authoringRequireExpiry: false,
  authoringDailyMax: 20,
  authoringTotalMax: 200,
  publicLinks: true,
  tenancy: false,
  oidcScopes: "openid email profile",
  proxyJwtHeader: "Cf-Access-Jwt-Assertion",
  aiProvider: "anthropic",
  aiUserDailyUsd: 5,
  aiCanvasMonthlyUsd: 50,
  aiGuestUsd: 1,
  logLevel: "info",
};

test("defaults in every mode", () => {
  for (const environment of [{}, proxy]) {
    const config = readConfig(environment);
    const found = Object.keys(defaults).map((name) => [name, config[name as keyof Config]]);
    assert.deepEqual(Object.fromEntries(found), defaults);
  }
});

const values: [environment: Record<string, string>, name: keyof Config, value: unknown][] = [
  [{ SERVICE_HOST: "::1" }, "host", "::1"],
  [{ ...proxy, SERVICE_HOST: "10.1.2.3" }, "host", "10.1.2.3"],
  [{ SERVICE_PORT: "0" }, "port", 0],
  [{ SERVICE_DATA_DIR: "/srv/easel" }, "databaseUrl", "sqlite:/srv/easel/easel.db"],
  [{ SERVICE_DATA_DIR: "/srv/easel" }, "blobsUrl", "file:/srv/easel/blobs"],
  [
    { SERVICE_ADMIN_EMAILS: "Ada@Example.com, b@example.com" },
    "adminEmails",
    ["ada@example.com", "b@example.com"],
  ],
  [
    { SERVICE_SESSION_SECRET: `${"a".repeat(32)}, ${"b".repeat(32)}` },
    "sessionSecret",
    ["a".repeat(32), "b".repeat(32)],
  ],
  [
    { SERVICE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") },
    "encryptionKeys",
    [Buffer.alloc(32, 7)],
  ],
  [
    { SERVICE_AI_PRICES: '{"m":{"input":1,"output":2,"cacheWrite":0,"cacheRead":0.1}}' },
    "aiPrices",
    { m: { input: 1, output: 2, cacheWrite: 0, cacheRead: 0.1 } },
  ],
];
for (const [environment, name, value] of values) {
  test(`${Object.keys(environment).at(-1)} sets ${name}`, () =>
    assert.deepEqual(readConfig(environment)[name], value));
}

const networks: [given: string, readable: boolean][] = [
  ["10.0.0.1", true],
  ["10.0.0.0/8,192.168.0.0/16", true],
  ["::1", true],
  ["fd00::/8", true],
  ["::ffff:10.0.0.0/104", true],
  ["10.0.0.0/", false],
  ["10.0.0.0/8/8", false],
  ["10.0.0", false],
  ["10.0.0.0/-1", false],
  ["fd00::/129", false],
  ["localhost", false],
];
for (const [given, readable] of networks) {
  test(`the network ${given} is ${readable ? "read" : "a mistake"}`, () => {
    const read = () => readConfig({ SERVICE_CONNECTIONS_PRIVATE_CIDRS: given });
    if (readable) assert.doesNotThrow(read);
    else assert.throws(read, /^Error: .*\n {2}SERVICE_CONNECTIONS_PRIVATE_CIDRS holds [^\n]+$/);
  });
}
