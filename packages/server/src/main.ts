import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";

enableCompileCache();
if (existsSync(".env")) process.loadEnvFile();
type Config = import("./config/config.ts").Config;
const { join, move, serve } = await import("./service.ts");
const { Unavailable } = await import("./drivers/unavailable.ts");
const { SetupError } = await import("./config/setting-types.ts");

/** Maps codes of system errors to advice for the operator. */
const ADVICE: Record<string, string> = {
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

/** Names the people who may sign in, by the mode of sign-in. */
const WHO: Record<Config["authMode"], string> = {
  dev: "Everyone who reaches it signs in with any e-mail address: it is for this computer only.",
  oidc: "People sign in through your OpenID provider.",
  proxy: "People come signed in through your proxy.",
};

/** The time from the start until the modules that the start leaves out are loaded, in milliseconds. */
const PRELOAD_AFTER_MS = 1_000;

async function start(): Promise<void> {
  const service = await serve(process.env);
  const { base, config } = service.env;
  process.stdout.write(
    `Easel at ${base.origin} (sign-in: ${config.authMode}, canvases by ${config.urlMode})\n${WHO[config.authMode]}\n` +
      `Next: open ${base.origin} in a browser, or publish a folder: npx easel login ${base.origin}, then npx easel deploy FOLDER\n`,
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void service.stop());
  // The client for requests of Connections loads slowly. It would delay the start, and later everyone's requests at the first call.
  setTimeout(() => void import("./drivers/outbound/undici-outbound.ts"), PRELOAD_AFTER_MS).unref();
}

/** Maps the first command-line argument to a command. `start` is the default. */
const COMMANDS: Record<string, (args: string[]) => Promise<void>> = {
  start,
  join: async () => void process.stdout.write(`${await join(process.env)}\n`),
  move: async (args) => void process.stdout.write(`${await move(process.env, args)}\n`),
};

try {
  const [, , name = "start", ...args] = process.argv;
  const command = COMMANDS[name];
  if (command === undefined)
    throw new SetupError(`There is no command \`${name}\`: ${Object.keys(COMMANDS).join(", ")}`);
  await command(args);
} catch (error) {
  process.stderr.write(`${explain(error as Error)}\n`);
  process.exit(1);
}
