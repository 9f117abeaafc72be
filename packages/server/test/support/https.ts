import { proxyTarget, type Target } from "@easel/conformance/target";
import { baseOf } from "../../src/config/addresses.ts";
import { PROXY, type Scope, startService } from "./service.ts";
import type { TestEnv } from "./test-env.ts";

/** The public URL of a service that `startOnHttps` starts, as if a proxy in front of it ended TLS. */
export const HTTPS = "https://easel.example";

/** Starts a service in proxy mode with an https base URL. The returned target uses the service's own port, without TLS. */
export async function startOnHttps(
  scope: Scope,
  settings: Record<string, string> = {},
): Promise<{ target: Target; env: TestEnv }> {
  const { base, env } = await startService(scope, {
    ...PROXY,
    SERVICE_RATELIMIT_ENABLED: "off",
    ...settings,
  });
  env.base = baseOf({ ...env.config, baseUrl: HTTPS }, 0);
  return { target: proxyTarget(base, env.base.urlMode), env };
}
