import { baseOf } from "../src/base.ts";
import type { Env } from "../src/env.ts";
import { type Scope, startService } from "./support.ts";

/**
 * A service at `easel.localhost`. Of plain `localhost` browsers hold the names below it for other sites, so that in subdomain
 * mode a canvas would get no cookie to its API.
 */
export async function startNamed(
  scope: Scope,
  settings: Record<string, string>,
): Promise<{ base: string; env: Env }> {
  const { env } = await startService(scope, settings);
  const port = Number(new URL(env.base.origin).port);
  // The port is known only now, and a base address has to name it.
  env.base = baseOf({ ...env.config, baseUrl: `http://easel.localhost:${port}` }, port);
  return { base: env.base.origin, env };
}
