import type { Env } from "../../env.ts";
import { resealHeaders } from "../../organisation/connections/profiles.ts";

/** Encrypts protected headers with the first encryption key if they were encrypted with another one. Logs the result and never rejects. */
export const startResealing = (env: Env): Promise<void> =>
  resealHeaders(env)
    .then((count) => {
      if (count > 0) env.log.info(`encrypted the protected headers of ${count} Connections with the new key`);
    })
    .catch((err) => env.log.error({ err }, "protected headers are not encrypted with the new key"));
