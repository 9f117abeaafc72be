import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { devTarget, proxyTarget, type StandIn, type Target } from "@easel/conformance/target";
import { baseOf } from "../../src/config/addresses.ts";
import { readConfig } from "../../src/config/config.ts";
import { OpenApiCheck } from "../support/openapi-check.ts";
import { ENGINES, type Engine, NAMED, PROXY, startService } from "../support/service.ts";

/**
 * Maps the name of a part of the specification to groups of operations in the OpenAPI document. Its tests must make every operation of these
 * groups succeed at least once.
 */
export const COVERED: Record<string, string[]> = {
  kv: ["Key-value store"],
  submissions: ["Submissions"],
  collections: ["Collections"],
  files: ["Files"],
  people: ["Identity", "People"],
  ai: ["AI"],
  connections: ["Connections"],
  authoring: ["Authoring"],
  realtime: ["Realtime"],
};

/** The groups that the specification does not have. Their own tests compare the responses with the OpenAPI document. */
export const BESIDE = ["Errors of pages"];

const TARGETS = { dev: devTarget, proxy: proxyTarget };

/** Setup of the service under test. */
interface Setup {
  engine: Engine["name"];
  urlMode: Target["urlMode"];
  authMode: keyof typeof TARGETS;
  /** Further settings of the service. */
  settings?: Record<string, string>;
  /** The stand-in provider of AI that the settings name. */
  ai?: StandIn;
  /** The origin of the stand-in for an external API. */
  upstream?: string;
}

/** Registers the tests of a section of the specification, or of a part of it. The target is the service under test. */
type Suite = (target: Target) => void;

/** Suites, and the setup of the service that they run against. */
export interface Run extends Setup {
  suites: Suite[];
  /** Suites that run against a second service, with rate limits. */
  limited?: Suite[];
}

/**
 * Starts a new service with empty data for each run, and registers the suites of the run, which test this service. The responses are compared
 * with the OpenAPI document.
 */
export async function conforms(name: string, ...runs: Run[]): Promise<void> {
  const started: { title: string; suites: Suite[]; target: Target }[] = [];
  for (const { suites, limited = [], ...setup } of runs) {
    const title = `${setup.engine}, canvases by ${setup.urlMode}, sign-in: ${setup.authMode}`;
    const engine = ENGINES.find(({ name }) => name === setup.engine) as Engine;
    if (engine.skip) {
      test(title, { skip: engine.skip });
      continue;
    }
    started.push({ title, suites, ...(await start(engine, setup, false)) });
    if (limited.length > 0)
      started.push({ title: `${title}, limited`, suites: limited, ...(await start(engine, setup, true)) });
  }
  // All services start before the first suite, because services stop when no suite is left.
  if (started.length === 0) return;
  const check = new OpenApiCheck({ base: baseOf(readConfig({}), 3000) });
  describe(`the specification: ${name}`, () => {
    before(() => check.start());
    after(() => check.stop());
    for (const { title, suites, target } of started) {
      describe(title, () => {
        for (const suite of suites) suite(target);
      });
    }
    test("every response is as the OpenAPI document describes it", () => {
      assert.deepEqual(check.faults, []);
      assert.deepEqual(check.unseen(COVERED[name] ?? []), []);
    });
  });
}

/**
 * Runs suites whose outcome SQL decides on PostgreSQL. Suites about names, roles and policies are left out, because these are checked before
 * any statement.
 */
export const onPostgres = (name: string, ...suites: Suite[]): Promise<void> =>
  conforms(`${name} on PostgreSQL`, { engine: "postgres", urlMode: "path", authMode: "dev", suites });

async function start(
  engine: Engine,
  { urlMode, authMode, settings, ai, upstream }: Setup,
  rateLimited: boolean,
): Promise<{ target: Target }> {
  // One scope, so that the service stops before its database is removed.
  const scope = { after };
  const { base } = await startService(
    scope,
    {
      ...(authMode === "proxy" ? PROXY : {}),
      SERVICE_DATABASE_URL: await engine.migratedDatabase(scope),
      SERVICE_URL_MODE: urlMode,
      SERVICE_RATELIMIT_ENABLED: String(rateLimited),
      ...(rateLimited ? {} : { SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000" }),
      SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "5",
      SERVICE_RATELIMIT_LOGIN_PER_MIN: "100",
      SERVICE_ADMIN_EMAILS: "dev@example.com",
      ...settings,
    },
    NAMED,
  );
  const options = { rateLimited, ...(ai && { ai }), ...(upstream && { upstream }) };
  return { target: TARGETS[authMode](base, urlMode, options) };
}
