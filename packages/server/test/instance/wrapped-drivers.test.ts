import assert from "node:assert/strict";
import { test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { until } from "@easel/conformance/patience";
import { devTarget } from "@easel/conformance/target";
import type { Drivers } from "../../src/drivers/drivers.ts";
import { serve } from "../../src/service.ts";
import { atEnd, temporaryDirectory } from "../support/service.ts";

/** Wraps the drivers so that each call adds its name, such as `db.get`, to `calls`. */
function counted(drivers: Drivers, calls: string[]): Drivers {
  const wrap = <Driver extends object>(name: string, driver: Driver): Driver =>
    new Proxy(driver, {
      get(target, key) {
        const part: unknown = Reflect.get(target, key);
        if (key === "withReserve") return wrap(name, part as object);
        if (typeof part !== "function") return part;
        return (...args: unknown[]) => {
          calls.push(`${name}.${String(key)}`);
          return part.apply(target, args);
        };
      },
    });
  const { db, blobs, bus, ai, outbound, publicOutbound } = drivers;
  return {
    db: wrap("db", db),
    blobs: wrap("blobs", blobs),
    bus: wrap("bus", bus),
    ai: ai && wrap("ai", ai),
    outbound: wrap("outbound", outbound),
    publicOutbound: wrap("publicOutbound", publicOutbound),
  };
}

test("a service whose drivers are wrapped makes every call through the wrapper", async (t) => {
  const settings = {
    SERVICE_PORT: "0",
    SERVICE_DATA_DIR: await temporaryDirectory(t),
    SERVICE_LOG_LEVEL: "error",
  };
  const calls: string[] = [];
  const { env, stop } = await serve(settings, {
    seed: async () => {},
    wrap: (drivers) => counted(drivers, calls),
  });
  atEnd(t, stop);
  // The sweep of the start also calls the drivers.
  await until("it is over", () => calls.includes("blobs.tidy") && env.lease.held.size === 0);
  const { pages } = await stage(devTarget(env.base.origin, "path"));
  const during = async (work: () => Promise<{ status: number }>) => {
    calls.length = 0;
    const { status } = await work();
    // On SQLite, `optimistic` reads nothing and returns null.
    return [status, ...calls.filter((call) => /^(db\.(?!optimistic)|bus\.take)/.test(call))];
  };
  assert.deepEqual(await during(() => pages.owner.put("/kv/tea", { value: 1 })), [
    200,
    "db.getCached",
    "db.getCached",
    "bus.take",
    "db.run",
    "db.batch",
  ]);
  assert.deepEqual(await during(() => pages.owner.get("/kv/tea")), [
    200,
    "db.getCached",
    "db.getCached",
    "bus.take",
    "db.get",
  ]);
});
