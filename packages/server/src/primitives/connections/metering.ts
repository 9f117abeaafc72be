import type { ErrorCode } from "@easel/protocol/errors";
import type { Env } from "../../env.ts";
import { writeCounts } from "../../organisation/connections/call-counts.ts";

/** The error codes that are counted. They can occur only for a profile that is granted to the canvas. */
export const METERED: ReadonlySet<ErrorCode> = new Set([
  "CONNECTION_DISABLED",
  "CONNECTION_KEY_UNAVAILABLE",
  "CONNECTION_LIMIT",
  "CONNECTION_RATE_LIMIT",
  "DESTINATION_BLOCKED",
  "REQUEST_TOO_LARGE",
  "RESPONSE_TOO_LARGE",
  "UPSTREAM_TIMEOUT",
  "UPSTREAM_UNAVAILABLE",
]);

/** The interval at which counted calls are written to the database. */
const INTERVAL_MS = 5_000;

/** Writes the counted calls to the database every five seconds. Returns a function that stops this and writes the last counts. */
export function startMetering(env: Env): () => Promise<void> {
  const write = () =>
    writeCounts(env).catch((err) => env.log.error({ err }, "calls of Connections are not counted"));
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(write);
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
    await write();
  };
}
