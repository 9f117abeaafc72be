import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, checkServer, prefixOf } from "./open-redis.ts";

const info = (facts: Record<string, string>) =>
  Object.entries({
    redis_version: "7.0.15",
    cluster_enabled: "0",
    role: "master",
    maxmemory_policy: "noeviction",
    ...facts,
  })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join("");

test("a URL names host, port, user, password and database", () => {
  assert.deepEqual(addressOf("redis://localhost"), {
    socket: { host: "localhost", port: 6379 },
    database: 0,
  });
  assert.deepEqual(addressOf("rediss://ada:p%40ss@[::1]:6380/15?prefix=x"), {
    socket: { host: "::1", port: 6380, tls: true },
    username: "ada",
    password: "p@ss",
    database: 15,
  });
});

test("the prefix is that of the instance unless the URL names one", () => {
  assert.equal(prefixOf("redis://localhost", "id"), "easel:id:");
  assert.equal(prefixOf("redis://localhost?prefix=two", "id"), "easel:two:");
});

test("Redis 7, newer ones and Valkey are accepted without a warning", () => {
  for (const redis_version of ["7.0.0", "7.2.4", "8.2.1", "10.0"])
    assert.deepEqual(checkServer(info({ redis_version })), []);
});

test("an old server, a cluster and a replica are refused, and the message says what to do", () => {
  for (const [facts, says] of [
    [{ redis_version: "6.2.14" }, /^SERVICE_BUS_URL names Redis 6\.2\.14: Redis 7 or Valkey is needed/],
    [
      { cluster_enabled: "1" },
      /^SERVICE_BUS_URL names a node of a Redis Cluster, which is not supported: name/,
    ],
    [{ role: "slave" }, /^SERVICE_BUS_URL names a replica.+name the primary/],
  ] as const)
    assert.throws(() => checkServer(info(facts)), { message: says });
});

test("a server that may evict keys is warned of", () => {
  for (const maxmemory_policy of ["allkeys-lru", "volatile-ttl"]) {
    const [warning, ...others] = checkServer(info({ maxmemory_policy }));
    assert.match(
      warning ?? "",
      new RegExp(`evict keys .+${maxmemory_policy}.+set maxmemory-policy noeviction`),
    );
    assert.deepEqual(others, []);
  }
});
