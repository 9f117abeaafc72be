import { setTimeout as sleep } from "node:timers/promises";
import { busContract } from "./bus-contract.ts";
import { ageLeases, openRedisBus, ownPrefix, sharedRedis, skipRedis } from "./redis-buses.ts";

busContract("redis", skipRedis, async (scope) => {
  const prefix = ownPrefix();
  return {
    bus: await openRedisBus(scope, sharedRedis as string, prefix),
    // Rate limits have short windows. Leases last longer than a test may take.
    pass: (ms) => (ms < 1_000 ? sleep(ms) : ageLeases(sharedRedis as string, prefix, ms)),
  };
});
