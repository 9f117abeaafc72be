import type { ErrorCode } from "@easel/protocol/errors";
import type { Env } from "../../env.ts";
import { writeCounts } from "../../organisation/connections/call-counts.ts";
import { resealHeaders } from "../../organisation/connections/profiles.ts";

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

/**
 * Writes the counted calls to the database every five seconds, and runs `resealHeaders` once at the start. Returns a function that stops
 * the interval and writes the last counts.
 */
export function startMetering(env: Env): () => Promise<void> {
  const { log } = env;
  const write = () =>
    writeCounts(env).catch((err) => log.error({ err }, "calls of Connections are not counted"));
  const resealed = resealHeaders(env)
    .then((count) => {
      if (count > 0) log.info(`encrypted the protected headers of ${count} Connections with the new key`);
    })
    .catch((err) => log.error({ err }, "protected headers are not encrypted with the new key"));
  let running = resealed;
  const timer = setInterval(() => {
    running = running.then(write);
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
    await write();
  };
}
