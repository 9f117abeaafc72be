import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Core, type Server, startServer } from "./child.ts";

/**
 * Starts Easel on an empty temporary data directory, without rate limits and with quotas that are too high to be reached. `settings` are
 * further environment variables, and `program` another build of the service.
 */
export async function startEasel(
  core: Core,
  settings: Record<string, string> = {},
  program = "packages/server/start.js",
): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), "easel-bench-"));
  const server = await startServer(core, program, [], {
    SERVICE_PORT: "0",
    SERVICE_DATA_DIR: dataDir,
    SERVICE_RATELIMIT_ENABLED: "false",
    SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000",
    SERVICE_QUOTA_CANVASES: "1000000",
    SERVICE_LOG_LEVEL: "warn",
    ...settings,
  });
  const stop = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true });
  };
  return { ...server, stop };
}
