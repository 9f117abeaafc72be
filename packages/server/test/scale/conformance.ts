import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { SETTINGS as AI_SETTINGS } from "@easel/conformance/ai/settings";
import { startAiProvider } from "../support/ai-provider.ts";
import { runScript } from "../support/script.ts";
import { twoNodes } from "../support/two-nodes.ts";
import { startUpstream } from "../support/upstream.ts";

/*
 * Runs the whole conformance suite against two nodes behind a load balancer, and then the tests of rate limits against two nodes with limits:
 * `npm run conformance:scale`. Starts PostgreSQL, Redis, the nodes and the stand-ins, and ends them. Options of `node --test`, such as
 * `--test-name-pattern=KV`, go to the suite.
 */

const SUITE = createRequire(import.meta.url).resolve("@easel/conformance/run");

const AUTHORING = { SERVICE_AUTHORING: "on", SERVICE_AUTHORING_USER_DAILY_MAX: "1000" };

const UNLIMITED = {
  ...AUTHORING,
  SERVICE_RATELIMIT_ENABLED: "off",
  SERVICE_REALTIME_PUBLISHES_PER_MIN: "1000000000",
};

const LIMITED = {
  ...AUTHORING,
  SERVICE_RATELIMIT_ENABLED: "on",
  SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "100",
  SERVICE_RATELIMIT_LOGIN_PER_MIN: "100",
};

await runScript(async (scope) => {
  const [provider, upstream] = await Promise.all([startAiProvider(scope), startUpstream(scope)]);
  for (const [settings, variables] of [
    [UNLIMITED, { AUTHORING: "1" }],
    [LIMITED, { AUTHORING: "1", RATE_LIMITED: "1" }],
  ]) {
    const { base } = await twoNodes(scope, {
      isBalanced: true,
      settings: {
        ...provider.settings,
        ...AI_SETTINGS,
        ...upstream.settings,
        NODE_EXTRA_CA_CERTS: upstream.ca,
        ...settings,
      },
    });
    const child = spawn(process.execPath, [...process.argv.slice(2), SUITE], {
      env: {
        ...process.env,
        ...variables,
        BASE_URL: base,
        AI_PROVIDER: String(provider.settings.SERVICE_AI_BASE_URL),
        UPSTREAM: upstream.origin,
        NODE_EXTRA_CA_CERTS: upstream.ca,
      },
      stdio: "inherit",
    });
    const [code] = await once(child, "exit");
    if (code !== 0) process.exitCode = 1;
  }
});
