import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after } from "node:test";
import connect from "postgres";
import { baseOf } from "../../src/config/addresses.ts";
import { Passwords } from "../../src/crypto/passwords.ts";
import type { Env } from "../../src/env.ts";
import { seedExamples } from "../../src/management/seed-examples.ts";
import { serve } from "../../src/service.ts";
import { POSTGRES, POSTGRES_TEMPLATE, SQLITE_TEMPLATE } from "./servers.ts";
import type { TestEnv } from "./test-env.ts";

/** A test or a suite: `after` registers a function that runs at its end. */
export interface Scope {
  after(end: () => Promise<unknown>): void;
}

const endings = new WeakMap<Scope, (() => Promise<unknown>)[]>();

/** Runs `end` when the scope ends, in reverse order of registration. */
export function atEnd(scope: Scope, end: () => Promise<unknown>): void {
  const known = endings.get(scope);
  if (known !== undefined) return void known.push(end);
  const stack = [end];
  endings.set(scope, stack);
  scope.after(async () => {
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) await next();
  });
}

/**
 * Returns a scope that ends with the test file or suite that calls this function. Hooks such as `before` can use the scope, although the
 * runner's `after` has no effect inside them.
 */
export function fileScope(): Scope {
  const scope = { after };
  atEnd(scope, async () => {});
  return scope;
}

/** Creates a temporary directory, removed when the scope ends. */
export async function temporaryDirectory(scope: Scope): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), "easel-test-"));
  atEnd(scope, () => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A database engine that tests run on. */
export interface Engine {
  name: "sqlite" | "postgres";
  /** The reason to skip the tests on this engine; false where the engine is installed. */
  skip: string | false;
  /** Creates an empty database, removed when the scope ends, and returns its SERVICE_DATABASE_URL. */
  database(scope: Scope): Promise<string>;
  /** Does the same from the template of the suite, which saves the time of the migrations. Without a template, the database is empty. */
  migratedDatabase(scope: Scope): Promise<string>;
}

const server = process.env[POSTGRES];

/** The lowest costs that Argon2id allows: a hash takes 0.03 ms instead of 26. */
const LOWEST_COST = { memory: 8, passes: 1, parallelism: 1 };

/** Returns the default SERVICE_DATABASE_URL of a data directory. */
const sqliteUrl = (directory: string) => `sqlite:${path.join(directory, "easel.db")}`;

/** Puts a database that has the tables of the service into a data directory, if the suite has a template. */
async function copySqliteTemplate(directory: string): Promise<void> {
  const template = process.env[SQLITE_TEMPLATE];
  if (template !== undefined) await copyFile(template, path.join(directory, "easel.db"));
}

async function createPostgresDatabase(scope: Scope, template = "template1"): Promise<string> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const admin = connect(`${server}/postgres`, { max: 1, onnotice() {} });
  // The files of the template are copied, which takes half of the time of writing them to the log.
  await admin.unsafe(`create database ${name} template ${template} strategy file_copy`);
  atEnd(scope, async () => {
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.end();
  });
  return `${server}/${name}`;
}

/** Both engines. Tests on PostgreSQL are skipped where it is not installed; in CI that is an error. */
export const ENGINES: Engine[] = [
  {
    name: "sqlite",
    skip: false,
    database: async (scope) => sqliteUrl(await temporaryDirectory(scope)),
    async migratedDatabase(scope) {
      const directory = await temporaryDirectory(scope);
      await copySqliteTemplate(directory);
      return sqliteUrl(directory);
    },
  },
  {
    name: "postgres",
    skip: server === undefined && "PostgreSQL is not installed",
    database: (scope) => createPostgresDatabase(scope),
    migratedDatabase: (scope) => createPostgresDatabase(scope, process.env[POSTGRES_TEMPLATE]),
  },
];

/**
 * A host name with a dot. Browsers treat subdomains of plain `localhost` as other sites, so that in subdomain mode the API of a canvas
 * would get no cookie.
 */
export const NAMED = "easel.localhost";

/**
 * Starts a service on a free loopback port with empty data and cheap password hashes, and stops it when the scope ends. `settings` are
 * environment variables; `hostname` is the host of the base URL. The service is in this process, unless an installed program is tested.
 */
export async function startService(
  scope: Scope,
  settings: Record<string, string> = {},
  hostname = "localhost",
  seed: (env: Env) => Promise<void> = async () => {},
): Promise<{ base: string; env: TestEnv }> {
  const directory = await temporaryDirectory(scope);
  if (settings.SERVICE_DATABASE_URL === undefined) await copySqliteTemplate(directory);
  const { isInstalled, startInstalled } = await import("./process.ts");
  if (isInstalled) return startInstalled(scope, directory, settings, hostname);
  const environment = {
    SERVICE_PORT: "0",
    SERVICE_HOST: "127.0.0.1",
    SERVICE_DATA_DIR: directory,
    SERVICE_LOG_LEVEL: "error",
    ...settings,
  };
  const service = await serve(environment, {
    seed,
    drainMs: 0,
    // Tests of several processes on one database need no PostgreSQL, and no bus that all of them share.
    sharesDatabase: true,
    wrap: (drivers) => ({ ...drivers, bus: Object.assign(drivers.bus, { isShared: true }) }),
    replace({ base, config }) {
      const port = Number(new URL(base.origin).port);
      return {
        passwords: new Passwords(2, LOWEST_COST),
        base:
          hostname === "localhost"
            ? base
            : baseOf({ ...config, baseUrl: `http://${hostname}:${port}` }, port),
      };
    },
  });
  atEnd(scope, () => service.stop());
  await service.seeded;
  const { env } = service;
  return { base: env.base.origin, env };
}

/** Starts a service with the example canvases, which dev mode creates. */
export const startWithExamples = (scope: Scope, settings: Record<string, string> = {}, hostname?: string) =>
  startService(scope, settings, hostname, seedExamples);

/** Starts a service with one of the example canvases only, because compressing all of them takes most of a start. */
export const startExample = (
  scope: Scope,
  name: string,
  settings: Record<string, string> = {},
  hostname?: string,
) => startService(scope, settings, hostname, (env) => seedExamples(env, undefined, [name]));

/** Settings for a trusted proxy on this machine. */
export const PROXY = {
  SERVICE_AUTH_MODE: "proxy",
  SERVICE_PROXY_TRUSTED_IPS: "127.0.0.1,::1",
  SERVICE_SESSION_SECRET: "a secret of the tests that is long enough",
};
