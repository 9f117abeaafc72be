import { devTarget, type Person, type Target } from "@easel/conformance/target";
import type { BrowserContext } from "playwright-core";
import { baseOf } from "../../src/config/addresses.ts";
import type { Env } from "../../src/env.ts";
import { NAMED, type Scope, startService, startWithExamples } from "./service.ts";
import { startTls } from "./tls.ts";

/** A service in dev mode as browsers and as programs reach it. */
export interface Site {
  /** The base address: to a browser a site of its own, with its canvases' hosts below it. */
  base: string;
  env: Env;
  /** The same service at a loopback address. */
  target: Target;
}

interface SiteOptions {
  /** Reached by https. */
  secure?: boolean;
  settings?: Record<string, string>;
  /** With the example canvases. */
  examples?: boolean;
}

/** Starts a service at `easel.localhost`, without rate limits. */
export async function startSite(
  scope: Scope,
  urlMode: Target["urlMode"],
  { secure = false, settings = {}, examples = false }: SiteOptions = {},
): Promise<Site> {
  const all = { SERVICE_URL_MODE: urlMode, SERVICE_RATELIMIT_ENABLED: "false", ...settings };
  const start = examples ? startWithExamples : startService;
  const { base, env } = await start(scope, all, NAMED);
  const port = Number(new URL(base).port);
  if (secure) {
    const outer = await startTls(scope, port);
    env.base = baseOf({ ...env.config, baseUrl: `https://${NAMED}:${outer}` }, outer);
  }
  return { base: env.base.origin, env, target: devTarget(`http://127.0.0.1:${port}`, urlMode) };
}

/** Gives a browser somebody's session, as signing in would. */
export async function enterAs(context: BrowserContext, { base, env }: Site, person: Person): Promise<void> {
  const [name = "", value = ""] = person.headers[0]?.[1].split("=") ?? [];
  const { secure } = env.base;
  await context.addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax", secure }]);
}
