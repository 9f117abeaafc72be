import { readConfig } from "../config/config.ts";
import { SetupError } from "../config/setting-types.ts";
import { command } from "./command.ts";

const TIMEOUT_MS = 3_000;
/** The addresses at which a service that listens everywhere is reached from its machine. */
const LOCAL: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

export const health = command({
  async run({ environment }) {
    const { host, port } = readConfig(environment);
    const address = LOCAL[host] ?? (host.includes(":") ? `[${host}]` : host);
    const url = `http://${address}:${port}/healthz`;
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: Error) => {
      throw new SetupError(
        `${url} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`,
      );
    });
    if (!response.ok) throw new SetupError(`${url} answers ${response.status}`);
  },
});
