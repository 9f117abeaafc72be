import os from "node:os";
import { requireEncryption } from "../api/encryption.ts";
import { bodyOf, serviceAt, serviceUrl } from "../api/service.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { isoTime } from "../terminal/moment.ts";
import { isCi } from "../terminal/terminal.ts";
import { formatTime } from "../terminal/time.ts";
import { hasBrowser } from "./browser.ts";
import { readCredentials, writeCredentials } from "./credentials.ts";
import { discover } from "./discovery.ts";
import { explain } from "./oauth-failure.ts";
import { revokeToken } from "./revocation.ts";

/** The options of `easel login`. `browser` is false for `--no-browser`. */
export interface LoginOptions {
  browser: boolean;
  scope: "full" | "deploy" | "read";
  /** The id of the only canvas that the token is valid for. */
  canvas?: string;
}

/**
 * Signs the person in at a service and stores the token. Uses the browser of this computer, or, also without a terminal, a code for a
 * browser on any device. Throws a usage error on a build server, where nobody could enter the code.
 */
export async function login(
  given: string | undefined,
  { browser, scope, canvas }: LoginOptions,
  context: Context,
): Promise<void> {
  const { terminal } = context;
  const url = await serviceUrl({ url: given, folder: context.cwd }, context);
  if (isCi(context.env)) {
    fail("A sign-in needs a person, and CI is set.", {
      exit: "usage",
      hint: `In CI, set EASEL_URL and EASEL_TOKEN. Create a token at ${url}/tokens`,
    });
  }
  requireEncryption(url);
  await readCredentials(context);
  const config = await discover(url, context);
  const asked = { host: os.hostname(), scope, ...(canvas === undefined ? {} : { canvas }) };
  const signIn =
    browser && terminal.ask.possible && hasBrowser(context)
      ? (await import("./browser-login.ts")).signInByBrowser
      : (await import("./device-login.ts")).signInByCode;
  const response = await explain(url, () => signIn(config, asked, context), context);

  const token = response.access_token;
  const expiresAt = response.expires_in === undefined ? null : Date.now() + response.expires_in * 1000;
  const { email } = await bodyOf(serviceAt(url, token, context).api.GET("/api/me"));
  const { services } = await readCredentials(context);
  const former = services[url];
  await writeCredentials(
    { last: url, services: { ...services, [url]: { token, email, expiresAt } } },
    context,
  );
  // The new token replaces the former token of this computer.
  if (former !== undefined) await revokeToken(url, former.token, context).catch(() => {});
  const ends = expiresAt === null ? "" : ` The sign-in ends ${formatTime(expiresAt)}.`;
  terminal.say(`You are signed in at ${url} as ${clean(email)}.${ends}`);
  if (context.env.EASEL_TOKEN) terminal.warn("EASEL_TOKEN is set, and is used instead of this sign-in.");
  terminal.result({ url, email, scope, expiresAt: isoTime(expiresAt) }, () => "");
}
