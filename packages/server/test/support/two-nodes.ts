import { randomBytes } from "node:crypto";
import { openSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import connect from "postgres";
import { FaultProxy } from "./fault-proxy.ts";
import { freePort, postgresPrograms, startPostgres } from "./postgres-server.ts";
import { type Process, startProcess } from "./process.ts";
import { redisProgram, startRedis } from "./redis-server.ts";
import { RoundRobin } from "./round-robin.ts";
import { S3_VARIABLES, S3Server } from "./s3-server.ts";
import { atEnd, type Scope, temporaryDirectory } from "./service.ts";

const DRIFTING_CLOCK = pathToFileURL(path.join(import.meta.dirname, "drifting-clock.ts")).href;

/** A server that the nodes share. They reach it through `proxy` only. */
export interface Shared {
  proxy: FaultProxy;
  /** Suspends its processes, so that connections stay open without responses, and resumes them. */
  freeze(): void;
  thaw(): void;
  /** Ends its processes with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again at the same address: PostgreSQL and S3 with what they had stored, Redis empty. */
  start(): Promise<void>;
}

/** A process of the service, with an address of its own. */
export interface ServiceNode {
  base: string;
  port: number;
  /** The process that runs now. */
  process: Process;
  kill(): Promise<void>;
  /** Starts the service again at the same address. */
  start(): Promise<void>;
}

/** Two processes of the service on the same stores. */
export interface TwoNodes {
  postgres: Shared;
  redis: Shared;
  s3: Shared;
  nodes: [ServiceNode, ServiceNode];
  /** A load balancer before both, and its address. */
  balancer: RoundRobin;
  base: string;
  /** The file with the logs of both nodes. */
  log: string;
}

export interface TwoNodesOptions {
  /** Environment variables of both nodes. */
  settings?: Record<string, string>;
  /** How far the clock of each node is ahead, in milliseconds, and what it gains for each millisecond. */
  clocks?: { ms: number; rate: number }[];
  /** Whether the nodes are for clients of the balancer, which is then their base URL. Otherwise each is a service at its own address. */
  isBalanced?: boolean;
}

/** Whether PostgreSQL and Redis are installed. Throws where CI must run all tests. */
export function hasScale(): boolean {
  const isInstalled = postgresPrograms() !== undefined && redisProgram() !== undefined;
  if (!isInstalled && process.env.CI)
    throw new Error("PostgreSQL or Redis is not installed, and CI runs every test");
  return isInstalled;
}

/** Starts two nodes on a PostgreSQL server, a Redis server and a stand-in for S3 of their own, and ends all of it when the scope ends. */
export async function twoNodes(scope: Scope, options: TwoNodesOptions = {}): Promise<TwoNodes> {
  const directory = await temporaryDirectory(scope);
  const [postgres, redis, s3, balancer] = await Promise.all([
    postgresFor(scope),
    redisFor(scope),
    s3For(scope),
    RoundRobin.start(scope),
  ]);
  const base = `http://localhost:${balancer.port}`;
  const settings = {
    SERVICE_DATABASE_URL: postgres.url,
    SERVICE_BUS_URL: redis.url,
    SERVICE_BLOBS_URL: s3.url,
    ...S3_VARIABLES,
    SERVICE_SESSION_SECRET: randomBytes(32).toString("hex"),
    SERVICE_ADMIN_EMAILS: "dev@example.com",
    ...(options.isBalanced ? { SERVICE_BASE_URL: base } : {}),
    ...options.settings,
  };
  const log = path.join(directory, "log");
  const errors = openSync(log, "a");
  const start = async (number: number): Promise<ServiceNode> => {
    const port = await freePort();
    const own = path.join(directory, `node-${number}`);
    await mkdir(own);
    const { ms, rate } = options.clocks?.[number] ?? { ms: 0, rate: 0 };
    const clock = {
      NODE_OPTIONS: `--import ${DRIFTING_CLOCK}`,
      EASEL_TEST_CLOCK_MS: String(ms),
      EASEL_TEST_CLOCK_RATE: String(rate),
    };
    const more = {
      ...settings,
      ...(ms === 0 && rate === 0 ? {} : clock),
      SERVICE_PORT: String(port),
    };
    const run = () =>
      startProcess(scope, own, more, errors).catch((error) => {
        throw new Error(`${(error as Error).message}:\n${readFileSync(log, "utf8").slice(-2000)}`);
      });
    const node: ServiceNode = {
      base: `http://localhost:${port}`,
      port,
      process: await run(),
      kill: async () => void (await node.process.end("SIGKILL")),
      async start() {
        node.process = await run();
      },
    };
    balancer.ports.push(port);
    return node;
  };
  const nodes: [ServiceNode, ServiceNode] = [await start(0), await start(1)];
  return { postgres, redis, s3, nodes, balancer, base, log };
}

/** Puts a proxy before a server, whose address is `url`. */
async function behindProxy(scope: Scope, url: string): Promise<{ proxy: FaultProxy; url: string }> {
  const address = new URL(url);
  const proxy = await FaultProxy.start(scope, Number(address.port));
  address.port = String(proxy.port);
  return { proxy, url: address.href };
}

async function postgresFor(scope: Scope): Promise<Shared & { url: string }> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL is not installed: apt-get install postgresql");
  const server = await startPostgres(programs);
  atEnd(scope, async () => {
    server.thaw();
    await server.remove();
  });
  const admin = connect(`${server.url}/postgres`, { max: 1, onnotice() {} });
  await admin.unsafe("create database easel");
  await admin.end();
  return { ...server, ...(await behindProxy(scope, `${server.url}/easel`)) };
}

async function redisFor(scope: Scope): Promise<Shared & { url: string }> {
  const program = redisProgram();
  if (program === undefined) throw new Error("Redis is not installed: apt-get install redis-server");
  const server = await startRedis(program);
  atEnd(scope, () => server.remove());
  return { ...server, kill: () => server.stop("SIGKILL"), ...(await behindProxy(scope, server.url)) };
}

/** The stand-in is in this process, so that it can lose its connections and keep its objects. While it is frozen, it answers nothing. */
async function s3For(scope: Scope): Promise<Shared & { url: string }> {
  const server = new S3Server({});
  await server.listen(scope);
  const { proxy } = await behindProxy(scope, server.origin);
  const url = server.url().replace(server.origin, `http://127.0.0.1:${proxy.port}`);
  return {
    url,
    proxy,
    freeze() {
      server.fault = () => "hang";
    },
    thaw() {
      server.fault = () => undefined;
    },
    kill: () => server.stop(),
    async start() {
      await server.listen(scope);
      proxy.server = Number(new URL(server.origin).port);
    },
  };
}
