import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { Page } from "playwright-core";
import { atEnd, type Scope, startService } from "../support/service.ts";
import type { TestEnv } from "../support/test-env.ts";

const PROGRAM = path.join(import.meta.dirname, "oidc-provider-process.js");

/** The client id of the service at the test providers. */
export const CLIENT = "easel";

/** Returns settings of a service that signs people in at the provider with this issuer. */
export const oidcSettings = (issuer: string): Record<string, string> => ({
  SERVICE_AUTH_MODE: "oidc",
  SERVICE_OIDC_ISSUER: issuer,
  SERVICE_OIDC_CLIENT_ID: CLIENT,
  SERVICE_SESSION_SECRET: "a secret of the tests that is long enough",
  SERVICE_RATELIMIT_ENABLED: "false",
});

/** Options of a service with a provider. With `secret` the service is a confidential client. */
interface Options {
  settings?: Record<string, string>;
  secret?: string;
  /** The host of the service's base URL. */
  hostname?: string;
}

/**
 * Starts a real OpenID Connect provider, and a service that is its client. `remove` removes an account from the provider, which then ends its
 * sessions by back-channel logout.
 */
export async function startWithProvider(
  scope: Scope,
  { settings = {}, secret, hostname }: Options = {},
): Promise<{ base: string; env: TestEnv; issuer: string; remove(email: string): Promise<unknown> }> {
  const child = fork(PROGRAM, { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const exited = once(child, "exit");
  atEnd(scope, () => {
    child.kill("SIGKILL");
    return exited;
  });
  const issuer = await told(child);
  const confidential = secret === undefined ? {} : { SERVICE_OIDC_CLIENT_SECRET: secret };
  const all = { ...oidcSettings(issuer), ...confidential, ...settings };
  const { base, env } = await startService(scope, all, hostname);
  const ready = told(child);
  child.send({
    client_id: CLIENT,
    client_secret: secret,
    redirect_uris: [`${base}/auth/callback`],
    post_logout_redirect_uris: [`${base}/auth/signed-out`],
    backchannel_logout_uri: `${base}/auth/backchannel-logout`,
    backchannel_logout_session_required: true,
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: secret === undefined ? "none" : "client_secret_basic",
  });
  await ready;
  const remove = (email: string) => {
    const done = told(child);
    child.send({ remove: email });
    return done;
  };
  return { base, env, issuer, remove };
}

async function told(child: ChildProcess): Promise<string> {
  const [message] = (await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => {
      throw new Error(`the provider ended with ${code}`);
    }),
  ])) as [string];
  return message;
}

/** Fills in and submits the forms of the provider. */
export async function fillIn(page: Page, email: string): Promise<void> {
  await page.locator("[name=login]").fill(email);
  await page.locator("[name=password]").fill("any");
  await page.locator("[type=submit]").click();
  await page.getByRole("button", { name: "Continue" }).click();
}
