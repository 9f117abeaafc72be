import { devTarget, type Person, type Target } from "@easel/conformance/target";
import type { BrowserContext } from "playwright-core";
import { baseOf } from "../../src/config/addresses.ts";
import { NAMED, type Scope, startExample, startService } from "./service.ts";
import type { TestEnv } from "./test-env.ts";
import { startTls } from "./tls.ts";

/** A service in dev mode, with its addresses for browsers and for programs. */
export interface Site {
  /** The base URL for browsers. They treat its host and the canvas hosts below it as one site. */
  base: string;
  env: TestEnv;
  /** The same service by its loopback address, for programs. */
  target: Target;
}

interface SiteOptions {
  /** Whether the service has an https base URL, behind a TLS proxy. */
  secure?: boolean;
  settings?: Record<string, string>;
  /** The name of an example canvas that the service has. */
  example?: string;
}

/** Starts a service at `easel.localhost`, without rate limits. */
export async function startSite(
  scope: Scope,
  urlMode: Target["urlMode"],
  { secure = false, settings = {}, example }: SiteOptions = {},
): Promise<Site> {
  const all = { SERVICE_URL_MODE: urlMode, SERVICE_RATELIMIT_ENABLED: "false", ...settings };
  const { base, env } =
    example === undefined
      ? await startService(scope, all, NAMED)
      : await startExample(scope, example, all, NAMED);
  const port = Number(new URL(base).port);
  if (secure) {
    const outer = await startTls(scope, port);
    env.base = baseOf({ ...env.config, baseUrl: `https://${NAMED}:${outer}` }, outer);
  }
  return { base: env.base.origin, env, target: devTarget(`http://127.0.0.1:${port}`, urlMode) };
}

/** Adds a person's session cookie to a browser. */
export async function enterAs(context: BrowserContext, { base, env }: Site, person: Person): Promise<void> {
  const [name = "", value = ""] = person.headers[0]?.[1].split("=") ?? [];
  const { secure } = env.base;
  await context.addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax", secure }]);
}
