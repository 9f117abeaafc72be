import net, { BlockList } from "node:net";
import type { FastifyInstance } from "fastify";
import { createApp } from "./app.ts";
import { startCallLog } from "./canvases/call-log-store.ts";
import { startSweeping } from "./canvases/sweep.ts";
import { openSecrets } from "./crypto/secrets.ts";
import { DiskWatch } from "./disk/disk-watch.ts";
import type { Drivers, WrapDrivers } from "./drivers/drivers.ts";
import { openAi, openBus, openOutbound } from "./drivers/index.ts";
import type { Env } from "./env.ts";
import { closeApp, drain, listenAt, listening, portOf, reservePort } from "./http/listening.ts";
import { startLastSeen } from "./identity/last-seen-store.ts";
import { limitTokenAges } from "./identity/token-ages.ts";
import { portOfSocket } from "./instance/given-socket.ts";
import { requireOneInstance } from "./instance/instance-id.ts";
import { NodeLease } from "./instance/lease.ts";
import { describeNode, joinNodes, keepNode } from "./instance/nodes.ts";
import { HAND_OVER_MS } from "./instance/one-writer.ts";
import { startMail } from "./mail/sender.ts";
import { seedExamples } from "./management/seed-examples.ts";
import { newEnv } from "./new-env.ts";
import { type Instance, openInstance, readSettings, storesOf } from "./open-instance.ts";
import { startNotices } from "./organisation/notices.ts";
import { startShellActs } from "./organisation/shell-acts.ts";
import { describeStart } from "./organisation/started.ts";
import { startPageViews } from "./organisation/view-counts.ts";
import { primitives } from "./primitives/index.ts";

/** The time in which a stopping node is noticed by the proxy in front of it: more than its interval of checks (docs/growing.md). */
const DRAIN_MS = 3_000;
/**
 * The time in which clients on open connections send their next request, and learn that it is the last one. A given socket already accepts for
 * the next process.
 */
const GIVEN_DRAIN_MS = 500;
/** How many connections may wait at a given socket while the service restarts: the default limit of Linux. */
const GIVEN_BACKLOG = 4_096;

/** A running service. */
export interface Service {
  env: Env;
  /** The port on which the service listens. */
  port: number;
  /** Resolves when the `seed` function that was passed to `serve` has ended, also after a failure. */
  seeded: Promise<void>;
  /** Lets a proxy notice that the node stops, waits for pending requests for up to 10 s, then closes all connections and drivers. */
  stop(): Promise<void>;
}

/** What a caller of `serve` may decide apart from the settings. */
export interface ServeOptions {
  /**
   * Fills the database while the service already responds. By default, dev mode gets the example canvases. `stop` aborts when the service
   * begins to stop.
   */
  seed?: (env: Env, stop: AbortSignal) => Promise<void>;
  /** Wraps the drivers. By default they are used as they were opened. */
  wrap?: WrapDrivers;
  /** Returns parts of the context that replace those of the service. Called before anything uses the context. */
  replace?: (env: Env) => Partial<Env>;
  /** For how many milliseconds `stop` serves on while `/healthz` fails already. By default 0 if the service is the only node, else 3,000. */
  drainMs?: number;
  /** Whether other processes may use the same SQLite database. By default the start waits until they have stopped. */
  sharesDatabase?: boolean;
  /** The file descriptor of a TCP socket to listen at, instead of SERVICE_HOST and SERVICE_PORT. The caller keeps it open. */
  socket?: number | undefined;
  /** Whether other processes listen at the same port. The system then distributes the connections. False by default. */
  sharesPort?: boolean;
}

/** A process that has all it needs to respond, and does not listen yet. `reserved` has its port if the settings name none. */
interface Process {
  env: Env;
  /** Closes the stores of the instance. */
  closeStores: Instance["close"];
  lease: NodeLease;
  /** Aborts `env.stopping`. */
  stopping: AbortController;
  reserved: net.Server | null;
}

/** Starts the service. */
export async function serve(
  environment: Record<string, string | undefined>,
  options: ServeOptions = {},
): Promise<Service> {
  const settings = readSettings(environment);
  const instance = await openInstance(settings, options.sharesDatabase ? null : HAND_OVER_MS, "service");
  let started: Process | undefined;
  try {
    const id = await requireOneInstance(storesOf(instance));
    started = await startProcess(instance, id, options);
    return await listen(started, options);
  } catch (error) {
    started?.reserved?.close();
    await started?.lease.stop();
    await started?.env.bus.close();
    await instance.close();
    throw error;
  }
}

/** Opens the other drivers, takes the lease of the process, and builds the context. */
async function startProcess(
  instance: Instance,
  instanceId: string,
  { wrap, replace, socket }: ServeOptions,
): Promise<Process> {
  const { config, db, blobs, clock, log } = instance;
  const secrets = await openSecrets(config, log);
  const [bus, ai] = [await openBus(config, instanceId, log), await openAi(config)];
  const given = socket === undefined ? undefined : portOfSocket(socket, config);
  const reserved = given === undefined && config.port === 0 ? await reservePort(config.host) : null;
  const port = given ?? (reserved === null ? config.port : portOf(reserved));
  const opened: Drivers = {
    db,
    blobs,
    bus,
    ai,
    outbound: openOutbound(config.connectionsPrivateCidrs, port),
    publicOutbound: openOutbound(new BlockList(), port),
  };
  const drivers = wrap?.(opened) ?? opened;
  const lease = new NodeLease({ ...drivers, clock, log });
  const stopping = new AbortController();
  const env = newEnv(instance, drivers, secrets, { port, lease, stopping: stopping.signal });
  try {
    if (db.engine === "postgres") await joinOthers(env, lease, instance, port);
    await lease.start();
  } catch (error) {
    reserved?.close();
    await bus.close();
    throw error;
  }
  return { env: { ...env, ...replace?.(env) }, closeStores: instance.close, lease, stopping, reserved };
}

/** Adds this process to the nodes of a database that several can use. A service on SQLite is the only one. */
async function joinOthers(env: Env, lease: NodeLease, { db, schema }: Instance, port: number): Promise<void> {
  const { config, bus, log } = env;
  const settings = { sharedBus: bus.isShared, blobsUrl: config.blobsUrl, schema };
  const node = describeNode(lease.id, port, env, settings);
  const wait = (message: string) => log.warn(message);
  const { nodes, warnings } = await joinNodes(db, node, wait, HAND_OVER_MS);
  lease.keepNode((skewMs) => keepNode(node, skewMs, env.open.realtimeConnections));
  for (const warning of warnings) log.warn(warning);
  log.info({ node: node.id, nodes, version: node.version }, `node ${nodes} of ${nodes}`);
}

/** Builds the application, listens, and starts the work that goes on between requests. */
async function listen(
  { env, closeStores, lease, stopping, reserved }: Process,
  {
    seed = seedExamples,
    socket,
    sharesPort = false,
    drainMs = env.config.busUrl === "memory:" ? 0 : DRAIN_MS,
  }: ServeOptions,
): Promise<Service> {
  await limitTokenAges(env);
  const stopShellActs = await startShellActs(env);
  const app = await createApp(env);
  if (socket === undefined) await listenAt(app, reserved, env.config, sharesPort);
  else await listening(app.server, () => app.server.listen({ fd: socket, backlog: GIVEN_BACKLOG }));
  const metrics = await listenForMetrics(env).catch(closing(app));
  const stopSweeping = startSweeping(env);
  const stopCallLog = startCallLog(env);
  const stopLastSeen = startLastSeen(env);
  const stopPageViews = startPageViews(env);
  const stopMail = startMail(env);
  const stopDiskWatch = new DiskWatch(env.config, env.log).start();
  const stopNotices = startNotices(env);
  env.log.info(describeStart(env), "the service has started");
  const stops = primitives.flatMap(({ start }) => start?.(env) ?? []);
  const seeded = seed(env, stopping.signal).catch((error: unknown) =>
    env.log.error({ err: error }, "the examples are not deployed"),
  );
  return {
    env,
    port: portOf(app.server),
    seeded,
    async stop() {
      stopping.abort();
      env.log.info("the service stops");
      if (socket !== undefined)
        await drain(app, GIVEN_DRAIN_MS, () => net.Server.prototype.close.call(app.server));
      else if (drainMs > 0) await drain(app, drainMs);
      stopDiskWatch();
      await closeApp(app);
      await env.compressions.stop();
      await env.background.settled();
      await Promise.all([
        seeded,
        stopSweeping(),
        stopCallLog(),
        stopLastSeen(),
        stopPageViews(),
        stopMail(),
        stopNotices(),
        ...stops.map((stop) => stop()),
      ]);
      stopShellActs();
      await lease.stop();
      await metrics?.stop();
      await Promise.all([env.bus, env.outbound, env.publicOutbound].map((driver) => driver.close()));
      await closeStores();
      env.log.info("the service has stopped");
    },
  };
}

/** Listens for programs that read the metrics, if the settings name an address. */
async function listenForMetrics(env: Env) {
  const { metricsAddress } = env.config;
  if (metricsAddress === null) return null;
  const { serveMetrics } = await import("./http/metrics-server.ts");
  return serveMetrics(metricsAddress, env);
}

/** Returns a function that closes the application and throws an error. */
const closing = (app: FastifyInstance) => async (error: unknown) => {
  await app.close();
  throw error;
};
