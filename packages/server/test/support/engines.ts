import { after, describe, it } from "node:test";
import { devTarget, type Target } from "@easel/conformance/target";
import type { Env } from "../../src/env.ts";
import { ENGINES, type Scope, startService } from "./service.ts";

/** A service in dev mode that does not limit requests, unless a setting says otherwise. */
export async function startDev(
  scope: Scope,
  settings: Record<string, string> = {},
): Promise<{ target: Target; env: Env }> {
  const { base, env } = await startService(scope, { SERVICE_RATELIMIT_ENABLED: "false", ...settings });
  const urlMode = settings.SERVICE_URL_MODE === "subdomain" ? "subdomain" : "path";
  return { target: devTarget(base, urlMode), env };
}

/** The same suite on every engine, each with a service of its own. All of them run before the first suite begins. */
export async function onEngines(
  title: string,
  suite: (target: Target, env: Env) => void,
  settings: Record<string, string> = {},
): Promise<void> {
  const scope = { after };
  const suites = [];
  for (const { name, skip, database } of ENGINES) {
    if (skip) it(`${title} on ${name}`, { skip });
    else {
      const own = { ...settings, SERVICE_DATABASE_URL: await database(scope) };
      suites.push({ name, ...(await startDev(scope, own)) });
    }
  }
  for (const { name, target, env } of suites) describe(`${title} on ${name}`, () => suite(target, env));
}
