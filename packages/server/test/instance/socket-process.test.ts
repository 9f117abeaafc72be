import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedRedis, skipRedis } from "../drivers/redis-buses.ts";
import { ENGINES, temporaryDirectory } from "../support/service.ts";
import { openSocketUnit } from "../support/socket-unit.ts";

const postgres = ENGINES.find(({ name }) => name === "postgres");

test("a service behind a socket that systemd holds: a request that comes while it is stopped waits for the next start", async (t) => {
  // The port and the address of the settings do not count.
  const settings = { SERVICE_PORT: "1", SERVICE_HOST: "127.0.0.2" };
  const unit = await openSocketUnit(t, { SERVICE_DATA_DIR: await temporaryDirectory(t), ...settings });
  const early = fetch(`${unit.base}/healthz`);
  await unit.start();
  assert.equal((await early).status, 200);
  assert.equal(await unit.stop(), 0);
  const between = fetch(`${unit.base}/auth/login`);
  await unit.start();
  const page = await between;
  assert.equal(page.status, 200);
  assert.equal(await unit.stop(), 0);
});

test("workers accept from the socket together", { skip: skipRedis || postgres?.skip || false }, async (t) => {
  const unit = await openSocketUnit(t, {
    SERVICE_DATA_DIR: await temporaryDirectory(t),
    SERVICE_DATABASE_URL: (await postgres?.migratedDatabase(t)) ?? assert.fail(),
    SERVICE_BUS_URL: sharedRedis ?? assert.fail(),
    SERVICE_SESSION_SECRET: "a secret which both of the workers have",
    SERVICE_LOG_LEVEL: "silent",
    SERVICE_WORKERS: "2",
  });
  await unit.start();
  for (let each = 0; each < 5; each++) assert.equal((await fetch(`${unit.base}/healthz`)).status, 200);
  const ended = unit.stop();
  // Not `/healthz`, which fails on a connection to a worker that stops.
  const waiting = fetch(`${unit.base}/auth/login`);
  assert.equal(await ended, 0);
  await unit.start();
  assert.equal((await waiting).status, 200);
  assert.equal(await unit.stop(), 0);
});
