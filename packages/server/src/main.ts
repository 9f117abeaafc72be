import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";

enableCompileCache();
if (existsSync(".env")) process.loadEnvFile();
const { Unavailable } = await import("./drivers/unavailable.ts");
const { SetupError } = await import("./config/setting-types.ts");
const { DATABASE_ADVICE } = await import("./commands/database-advice.ts");

/** Maps codes of system errors to advice for the operator. */
const ADVICE: Record<string, string> = {
  ...DATABASE_ADVICE,
  ENOTSUP:
    "processes cannot share a port on this system; set SERVICE_WORKERS to 1, and run several nodes on several ports",
  EADDRINUSE: "another program listens there; set SERVICE_PORT",
  CONNECT_TIMEOUT: "no database answers there; see SERVICE_DATABASE_URL",
  EACCES: "the service may not use this; see SERVICE_DATA_DIR and SERVICE_PORT",
  ECONNREFUSED: "no database answers there; see SERVICE_DATABASE_URL",
  ENOTFOUND: "there is no such host; see SERVICE_DATABASE_URL",
};

/** Returns the text to print for an error at the start: the message, with advice for a known system error, or the stack if it is a bug. */
function explain(error: Error & { code?: string }): string {
  if (error instanceof Unavailable && error.cause !== undefined) return explain(error.cause as Error);
  const { code, message, stack } = error;
  if (error instanceof SetupError) return message;
  if (code !== undefined) return ADVICE[code] === undefined ? message : `${message}: ${ADVICE[code]}`;
  return String(stack);
}

try {
  const { runCommand } = await import("./commands/run-command.ts");
  const code = await runCommand(process.argv.slice(2), process.env);
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  process.stderr.write(`${explain(error as Error)}\n`);
  process.exit(1);
}
