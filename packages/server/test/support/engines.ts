import { after, describe, it } from "node:test";
import { devTarget, type Target } from "@easel/conformance/target";
import { ENGINES, type Engine, type Scope, startService } from "./service.ts";
import type { TestEnv } from "./test-env.ts";

/** Starts a service in dev mode, without rate limits unless `settings` enable them. */
export async function startDev(
  scope: Scope,
  settings: Record<string, string> = {},
  start = startService,
): Promise<{ target: Target; env: TestEnv }> {
  const { base, env } = await start(scope, { SERVICE_RATELIMIT_ENABLED: "false", ...settings });
  const urlMode = settings.SERVICE_URL_MODE === "subdomain" ? "subdomain" : "path";
  return { target: devTarget(base, urlMode), env };
}

type Suite = (target: Target, env: TestEnv) => void;

/**
 * Runs a suite on every engine, each with its own service. All services start before the first suite. For suites whose outcome depends on the
 * engine: order, sums, limits, races, and the first run of a statement on PostgreSQL.
 */
export const onEngines = (title: string, suite: Suite, settings?: Record<string, string>): Promise<void> =>
  run(title, suite, ENGINES, settings);

/**
 * Runs a suite on SQLite only: most of what it asserts depends on no engine. A suite of `onEngines`, of a store, or of the conformance suite
 * runs its statements on PostgreSQL, too.
 */
export const onSqlite = (title: string, suite: Suite, settings?: Record<string, string>): Promise<void> =>
  run(
    title,
    suite,
    ENGINES.filter(({ name }) => name === "sqlite"),
    settings,
  );

async function run(
  title: string,
  suite: Suite,
  engines: Engine[],
  settings: Record<string, string> = {},
): Promise<void> {
  const scope = { after };
  const suites = [];
  for (const { name, skip, migratedDatabase } of engines) {
    if (skip) it(`${title} on ${name}`, { skip });
    else {
      const own = { ...settings, SERVICE_DATABASE_URL: await migratedDatabase(scope) };
      suites.push({ name, ...(await startDev(scope, own)) });
    }
  }
  for (const { name, target, env } of suites) describe(`${title} on ${name}`, () => suite(target, env));
}
