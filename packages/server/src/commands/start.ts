import { setFlagsFromString } from "node:v8";
import manifest from "../../package.json" with { type: "json" };
import type { Config } from "../config/config.ts";
import { command } from "./command.ts";

/** Names the people who may sign in, by the mode of sign-in. */
const WHO: Record<Config["authMode"], string> = {
  dev: "Everyone who reaches it signs in with any e-mail address: it is for this computer only.",
  oidc: "People sign in through your OpenID provider.",
  proxy: "People come signed in through your proxy.",
};

/** The time from the start until modules are loaded that it leaves out, and that are needed soon, in milliseconds. */
const PRELOAD_AFTER_MS = 1_000;

export const start = command({
  async run({ environment }) {
    const socket = await givenSocket(environment);
    if (environment.SERVICE_WORKERS) {
      const { readConfig } = await import("../config/config.ts");
      const config = readConfig(environment);
      if (config.workers > 1) return startWorkers(config, environment, socket);
    }
    const { service, greeting } = await startService(environment, { socket });
    process.stdout.write(greeting);
    stopOnSignals(() => service.stop());
  },
});

/** What a primary process starts itself again with. People cannot run it, because it needs the channel to that process. */
export const work = command({
  options: {
    socket: { type: "boolean", meaning: "Serves at the socket that the primary process has passed on." },
  },
  run: async ({ environment, options }) => serveAsWorker(environment, options.socket === true),
});

type Environment = Record<string, string | undefined>;

/** Returns the socket that systemd has given this process; undefined without one. */
async function givenSocket(environment: Environment): Promise<number | undefined> {
  if (environment.LISTEN_FDS === undefined) return undefined;
  return (await import("../instance/given-socket.ts")).takeSocket(environment);
}

/** Starts a service in this process. Returns it with the text to print. */
async function startService(environment: Environment, options: import("../service.ts").ServeOptions = {}) {
  await logFatalErrors();
  const { serve } = await import("../service.ts");
  const service = await serve(environment, options);
  allocateYoung();
  const { base, config } = service.env;
  // Without a database there is nothing to preload for.
  setTimeout(() => void preload(service.env).catch(() => {}), PRELOAD_AFTER_MS).unref();
  const greeting =
    `Easel ${manifest.version} at ${base.origin} (sign-in: ${config.authMode}, canvases by ${config.urlMode})\n${WHO[config.authMode]}\n` +
    `Next: open ${base.origin} in a browser, or publish a folder: npx easel login ${base.origin}, then npx easel deploy FOLDER\n`;
  return { service, greeting };
}

/**
 * Makes V8 allocate all objects as young ones (decision 139). Called after the start: V8 compiles stored code again if it was stored under other
 * flags. The code of Node is stored without this flag, and so is that of the service, at the exit.
 */
function allocateYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
  process.once("exit", () => setFlagsFromString("--allocation-site-pretenuring"));
}

/**
 * Loads the client for requests of Connections, if there are any. It loads slowly: it would delay the start, and later everyone's requests at the
 * first call.
 */
async function preload(env: import("../env.ts").Env): Promise<void> {
  const { listProfiles } = await import("../organisation/connections/profiles.ts");
  if ((await listProfiles(env)).length > 0) await import("../drivers/outbound/undici-outbound.ts");
}

/** Writes a line of the log about an error that nothing has caught, and ends the process: what it leaves is unknown. */
async function logFatalErrors(): Promise<void> {
  const { newLog } = await import("../http/log.ts");
  process.on("uncaughtException", (err, origin) => {
    newLog("fatal").fatal({ err, origin }, "the service ends: nothing has caught an error");
    process.exit(1);
  });
}

/** Calls `stop` at the first of each signal that ends a program. A second one ends it at once. */
function stopOnSignals(stop: () => unknown): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
}

/** Starts the workers on this machine. This process does not serve: it starts workers again, and stops them. */
async function startWorkers(
  config: Config,
  environment: Environment,
  socket: number | undefined,
): Promise<void> {
  const { unusedPort, Workers } = await import("../instance/workers.ts");
  const { newLog } = await import("../http/log.ts");
  await logFatalErrors();
  const { fork } = await import("node:child_process");
  const port = socket === undefined ? await unusedPort(config) : config.port;
  const log = newLog(config.logLevel);
  const start = (index: number) => {
    const env = { ...environment, SERVICE_PORT: String(port), ...metricsOf(index, config) };
    const main = process.argv[1] as string;
    if (socket === undefined) return fork(main, ["worker"], { env });
    return fork(main, ["worker", "--socket"], {
      env,
      stdio: ["inherit", "inherit", "inherit", socket, "ipc"],
    });
  };
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

/** Returns the setting with the address of a worker's metrics: each worker has a port of its own. */
function metricsOf(index: number, { metricsAddress }: Config): Environment {
  if (metricsAddress === null) return {};
  const { host, port } = metricsAddress;
  return { SERVICE_METRICS_ADDRESS: `${host.includes(":") ? `[${host}]` : host}:${port + index}` };
}

/** Starts a service as one of several workers, which the primary process has started. */
async function serveAsWorker(environment: Environment, hasSocket: boolean): Promise<void> {
  const { reportReady } = await import("../instance/workers.ts");
  const { GIVEN_SOCKET } = await import("../instance/given-socket.ts");
  const where = hasSocket ? { socket: GIVEN_SOCKET } : { sharesPort: true };
  const { service, greeting } = await startService(environment, where);
  let stopped: Promise<void> | undefined;
  // The terminal sends its signal to the workers, too, and the primary one of its own.
  const stop = async () => {
    stopped ??= service.stop();
    await stopped;
    process.removeAllListeners("disconnect");
    if (process.connected) process.disconnect?.();
  };
  stopOnSignals(stop);
  reportReady(greeting, { log: service.env.log, stop });
}
