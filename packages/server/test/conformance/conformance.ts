import { after, describe, test } from "node:test";
import { pipeline } from "@easel/conformance/4.1-pipeline";
import { identity } from "@easel/conformance/4.2-identity";
import { kv } from "@easel/conformance/4.3-kv";
import { realtime } from "@easel/conformance/4.7-realtime";
import { submissions } from "@easel/conformance/4.9-submissions";
import { collections } from "@easel/conformance/4.10-collections";
import { adjacent } from "@easel/conformance/4.11-adjacent";
import { authentication } from "@easel/conformance/5-authentication";
import { events } from "@easel/conformance/6-events";
import { devTarget, proxyTarget, type Target } from "@easel/conformance/target";
import { type Engine, NAMED, PROXY, startService } from "../support/service.ts";

/** What depends on who comes, and from where; and what depends on what is kept. */
const COMING = [pipeline, identity, realtime, adjacent, authentication];
const KEPT_MS = [kv, submissions, collections, events];
const TARGETS = { dev: devTarget, proxy: proxyTarget };
type AuthMode = keyof typeof TARGETS;

/**
 * The specification on an engine, in these URL and sign-in modes, and once more where requests are limited. What depends on what
 * is kept is held in the first of the modes.
 */
export async function conforms(
  engine: Engine,
  urlModes: Target["urlMode"][],
  authModes: AuthMode[],
): Promise<void> {
  if (engine.skip) return void test(`the specification on ${engine.name}`, { skip: engine.skip });
  const targets: Target[] = [];
  for (const urlMode of urlModes) {
    for (const authMode of authModes) {
      for (const rateLimited of [false, true])
        targets.push(await start(engine, urlMode, authMode, rateLimited));
    }
  }
  // The suites come when every service runs: a file's services are stopped as soon as no suite is left.
  for (const target of targets) {
    const limited = target.rateLimited ? ", limited" : "";
    describe(`${engine.name}, canvases by ${target.urlMode}, sign-in: ${target.authMode}${limited}`, () => {
      const { authMode, urlMode } = target;
      const keeps = authMode === authModes[0] && urlMode === urlModes[0];
      for (const section of keeps ? [...COMING, ...KEPT_MS] : COMING) section(target);
    });
  }
}

async function start(
  engine: Engine,
  urlMode: Target["urlMode"],
  authMode: AuthMode,
  rateLimited: boolean,
): Promise<Target> {
  const { base } = await startService(
    { after },
    {
      ...(authMode === "proxy" ? PROXY : {}),
      SERVICE_DATABASE_URL: await engine.database({ after }),
      SERVICE_URL_MODE: urlMode,
      SERVICE_RATELIMIT_ENABLED: String(rateLimited),
      ...(rateLimited ? {} : { SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000" }),
      SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "5",
      SERVICE_RATELIMIT_LOGIN_PER_MIN: "100",
      SERVICE_ADMIN_EMAILS: "dev@example.com",
    },
    NAMED,
  );
  return TARGETS[authMode](base, urlMode, { rateLimited });
}
