import { randomBytes } from "node:crypto";
import type { Bus } from "../../src/drivers/bus/bus.ts";
import { addressOf } from "../../src/drivers/bus/redis/open-redis.ts";
import { type RedisEvents, redis } from "../../src/drivers/bus/redis/redis.ts";
import type { LinkTimes } from "../../src/drivers/bus/redis/redis-link.ts";
import { sendRedis } from "../support/redis-server.ts";
import { REDIS } from "../support/servers.ts";
import { atEnd, type Scope } from "../support/service.ts";

/** The URL of the Redis server that all tests share; undefined where Redis is not installed. */
export const sharedRedis = process.env[REDIS];

/** The reason to skip the tests that need Redis; false where it is installed. */
export const skipRedis = sharedRedis === undefined && "Redis is not installed";

/** Returns a prefix that no other test uses. */
export const ownPrefix = (): string => `test:${randomBytes(6).toString("hex")}:`;

/** Opens a bus, which is closed when the scope ends. Throws the errors of listeners away unless `events` has them. */
export async function openRedisBus(
  scope: Scope,
  url: string,
  prefix: string,
  events: Partial<RedisEvents> = {},
  times: Partial<LinkTimes> = {},
): Promise<Bus> {
  const silent: RedisEvents = { onAway() {}, onBack() {}, onError() {} };
  const bus = await redis(addressOf(url), prefix, { ...silent, ...events }, undefined, times);
  atEnd(scope, () => bus.close());
  return bus;
}

/** Lets the leases expire earlier by this time, as if it had passed. */
export async function ageLeases(url: string, prefix: string, ms: number): Promise<void> {
  const script = `for _, lease in ipairs(redis.call("ZRANGE", KEYS[1], 0, -1)) do redis.call("ZINCRBY", KEYS[1], -ARGV[1], lease) end`;
  await sendRedis(url, ["EVAL", script, "1", `${prefix}leases`, String(ms)]);
}
