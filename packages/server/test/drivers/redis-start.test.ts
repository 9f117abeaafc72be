import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { openRedis } from "../../src/drivers/bus/redis/open-redis.ts";
import { serve } from "../../src/service.ts";
import { type RedisServer, redisProgram, startRedis } from "../support/redis-server.ts";
import { atEnd, fileScope, type Scope, temporaryDirectory } from "../support/service.ts";
import { startTls } from "../support/tls.ts";
import { skipRedis } from "./redis-buses.ts";

const scope = fileScope();
/** A server with users of its own, so that other tests do not see them. */
const at = (skipRedis ? undefined : await startRedis(redisProgram() as string)) as RedisServer;
if (!skipRedis) after(() => at.remove());

const warnings: string[] = [];
const log = { info() {}, warn: (message: string) => void warnings.push(message), error() {} };

const open = async (t: Scope, url: string) => {
  const bus = await openRedis(url, "id", log);
  atEnd(t, () => bus.close());
  return bus;
};

describe("the start with a bus on Redis", { skip: skipRedis, timeout: 60_000 }, () => {
  test("user, password and database of the URL are used", async (t) => {
    await at.send("ACL", "SETUSER", "ada", "on", ">p@ss", "~easel:*", "&easel:*", "+@all");
    const bus = await open(t, `redis://ada:p%40ss@127.0.0.1:${at.port}/3`);
    await bus.renewLease("one");
    const keys = async (database: string) => {
      const info = String(await at.send("INFO", "keyspace"));
      return info.includes(`db${database}:`);
    };
    assert.deepEqual([await keys("3"), await keys("0")], [true, false]);
    assert.deepEqual(warnings, []);
  });

  for (const [why, url, says] of [
    [
      "nothing listens",
      () => "redis://127.0.0.1:1",
      /127\.0\.0\.1:1 does not respond .*ECONNREFUSED.*: start it/,
    ],
    ["no password", () => `redis://127.0.0.1:${at.port}`, /refuses the user or the password/],
    ["a wrong password", () => `redis://:hunter2@127.0.0.1:${at.port}`, /refuses the user or the password/],
    ["no such database", () => `${at.url}/9999`, /has no database of the number/],
    ["no such host", () => "redis://host.invalid", /host\.invalid:6379 does not respond/],
  ] as const) {
    test(`${why}: an error that names the setting, and no secret`, async () => {
      const error = await openRedis(url(), "id", log).then(
        () => assert.fail("it is open"),
        (refused: Error) => refused,
      );
      assert.match(error.message, /^SERVICE_BUS_URL: the Redis server at /);
      assert.match(error.message, says);
      assert.ok(!error.message.includes("hunter2") && !error.message.includes(at.password));
      assert.equal(error.constructor.name, "SetupError");
    });
  }

  test("a user who may not run scripts: an error that says so", async () => {
    await at.send("ACL", "SETUSER", "eve", "on", ">x", "~*", "&*", "+@all", "-info");
    await assert.rejects(openRedis(`redis://eve:x@127.0.0.1:${at.port}`, "id", log), {
      message: /lets the user of the URL run too few commands/,
    });
  });

  test("a certificate that nobody vouches for is refused", async () => {
    const port = await startTls(scope, at.port);
    await assert.rejects(openRedis(`rediss://:${at.password}@localhost:${port}`, "id", log), {
      message: /has a certificate that is not valid .+NODE_EXTRA_CA_CERTS/,
    });
  });

  test("a server that may evict keys is warned of", async (t) => {
    await at.send("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    await open(t, at.url);
    await at.send("CONFIG", "SET", "maxmemory-policy", "noeviction");
    assert.equal(warnings.length, 1);
  });

  test("the service does not start without its bus, and can be started again", async (t) => {
    const settings = {
      SERVICE_PORT: "0",
      SERVICE_DATA_DIR: await temporaryDirectory(t),
      SERVICE_LOG_LEVEL: "silent",
    };
    await assert.rejects(serve({ ...settings, SERVICE_BUS_URL: "redis://127.0.0.1:1" }), {
      message: /^SERVICE_BUS_URL: .+ does not respond/,
    });
    const service = await serve({ ...settings, SERVICE_BUS_URL: at.url }, { seed: async () => {} });
    atEnd(t, () => service.stop());
    const { id } = (await service.env.db.get<{ id: string }>`select id from instance`) as { id: string };
    await service.env.bus.take({ rateClass: "ai", owner: "ada" }, 1, 60_000);
    assert.equal(await at.send("EXISTS", `easel:${id}:rate ai ada`), 1);
  });
});
