import { existsSync } from "node:fs";
import { enableCompileCache } from "node:module";

enableCompileCache();
if (existsSync(".env")) process.loadEnvFile();
type Config = import("./config/config.ts").Config;
const { Unavailable } = await import("./drivers/unavailable.ts");
const { SetupError } = await import("./config/setting-types.ts");

/** Maps codes of system errors to advice for the operator. */
const ADVICE: Record<string, string> = {
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

/** Names the people who may sign in, by the mode of sign-in. */
const WHO: Record<Config["authMode"], string> = {
  dev: "Everyone who reaches it signs in with any e-mail address: it is for this computer only.",
  oidc: "People sign in through your OpenID provider.",
  proxy: "People come signed in through your proxy.",
};

/** The time from the start until the modules that the start leaves out are loaded, in milliseconds. */
const PRELOAD_AFTER_MS = 1_000;

/** Starts the service, or a primary process with its workers if SERVICE_WORKERS is above 1. */
async function start(): Promise<void> {
  if (process.env.SERVICE_WORKERS) {
    const { readConfig } = await import("./config/config.ts");
    const config = readConfig(process.env);
    if (config.workers > 1) return startWorkers(config);
  }
  const { service, greeting } = await startService();
  process.stdout.write(greeting);
  stopOnSignals(() => service.stop());
}

/** Starts a service in this process. Returns it with the text to print. */
async function startService(options: import("./service.ts").ServeOptions = {}) {
  const { serve } = await import("./service.ts");
  const service = await serve(process.env, options);
  const { base, config } = service.env;
  // The client for requests of Connections loads slowly. It would delay the start, and later everyone's requests at the first call.
  setTimeout(() => void import("./drivers/outbound/undici-outbound.ts"), PRELOAD_AFTER_MS).unref();
  const greeting =
    `Easel at ${base.origin} (sign-in: ${config.authMode}, canvases by ${config.urlMode})\n${WHO[config.authMode]}\n` +
    `Next: open ${base.origin} in a browser, or publish a folder: npx easel login ${base.origin}, then npx easel deploy FOLDER\n`;
  return { service, greeting };
}

/** Calls `stop` at the first of each signal that ends a program. A second one ends it at once. */
function stopOnSignals(stop: () => unknown): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
}

/** Starts the workers on this machine. This process does not serve: it starts workers again, and stops them. */
async function startWorkers(config: Config): Promise<void> {
  const { unusedPort, Workers } = await import("./instance/workers.ts");
  const { newLog } = await import("./http/log.ts");
  const { fork } = await import("node:child_process");
  const env = { ...process.env, SERVICE_PORT: String(await unusedPort(config)) };
  const log = newLog(config.logLevel);
  const start = () => fork(process.argv[1] as string, ["worker"], { env });
  const workers = new Workers({ count: config.workers, start, log });
  let isStopping = false;
  stopOnSignals(async () => {
    if (isStopping) return;
    isStopping = true;
    process.exitCode = await workers.stop();
  });
  const greeting = await workers.start();
  if (greeting !== null) process.stdout.write(greeting);
  else if (!isStopping) process.exitCode = 1;
}

/** Starts a service as one of several workers, which the primary process has started. */
async function work(): Promise<void> {
  const { reportReady } = await import("./instance/workers.ts");
  const { service, greeting } = await startService({ sharesPort: true });
  let stopped: Promise<void> | undefined;
  // The terminal sends its signal to the workers, too, and the primary one of its own.
  const stop = async () => {
    stopped ??= service.stop();
    await stopped;
    if (process.connected) process.disconnect?.();
  };
  stopOnSignals(stop);
  reportReady(greeting, stop);
}

const service = () => import("./service.ts");

/** Maps the first command-line argument to a command. `start` is the default; a primary process starts itself again with `worker`. */
const COMMANDS: Record<string, (args: string[]) => Promise<void>> = {
  start,
  join: async () => void process.stdout.write(`${await (await service()).join(process.env)}\n`),
  move: async (args) => void process.stdout.write(`${await (await service()).move(process.env, args)}\n`),
};

try {
  const [, , name = "start", ...args] = process.argv;
  const command = name === "worker" && process.send !== undefined ? work : COMMANDS[name];
  if (command === undefined)
    throw new SetupError(`There is no command \`${name}\`: ${Object.keys(COMMANDS).join(", ")}`);
  await command(args);
} catch (error) {
  process.stderr.write(`${explain(error as Error)}\n`);
  process.exit(1);
}
