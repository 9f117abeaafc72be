import os from "node:os";
import {
  AuthorizationResponseError,
  type Configuration,
  initiateDeviceAuthorization,
  pollDeviceAuthorizationGrant,
  ResponseBodyError,
} from "openid-client";
import { requireEncryption } from "../api/encryption.ts";
import { causeOf } from "../api/send.ts";
import { bodyOf, serviceAt, serviceUrl } from "../api/service.ts";
import type { Context } from "../context.ts";
import { Failure, fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";
import { formatTime, isoTime } from "../terminal/format.ts";
import { isCi } from "../terminal/terminal.ts";
import { hasBrowser } from "./browser.ts";
import { readCredentials, writeCredentials } from "./credentials.ts";
import { type AskedAccess, discover, revokeToken, type TokenResponse } from "./discovery.ts";
import { untilAborted } from "./until-aborted.ts";

const REASONS: Record<string, string> = {
  access_denied: "You have not allowed the sign-in.",
  expired_token: "The code has expired before anyone entered it.",
};

/** Runs a step of the sign-in at a service, and converts its errors to a `Failure`. After Ctrl-C, throws the reason of `signal`. */
export async function explain<Result>(
  url: string,
  work: () => Promise<Result>,
  { signal }: Pick<Context, "signal">,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof Failure) throw error;
    if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
      const said = error.error_description ?? error.error;
      return fail(REASONS[error.error] ?? `The service refuses: ${clean(said)}`, {
        hint: `Run \`easel login ${url}\` again.`,
      });
    }
    if (error instanceof TypeError && error.cause instanceof Error)
      return fail(`${url} cannot be reached: ${clean(causeOf(error))}.`, { exit: "unreachable" });
    return fail(`The sign-in at ${url} failed: ${clean(causeOf(error))}.`);
  }
}

/** Signs in without a browser on this computer: the person enters a code in a browser on any device (RFC 8628). */
export async function signInByCode(
  config: Configuration,
  asked: AskedAccess,
  { terminal, signal }: Context,
): Promise<TokenResponse> {
  const device = await initiateDeviceAuthorization(config, asked);
  const { verification_uri: address, user_code: code } = device;
  terminal.say(
    `Open this address in a browser, on any computer:\n\n  ${clean(address)}\n\nand enter the code ${terminal.style("bold", clean(code), "stderr")}\n`,
  );
  const stop = await terminal.wait("Waiting for the code");
  try {
    // The library looks at the signal only between two waits of up to 5 s.
    return await untilAborted(pollDeviceAuthorizationGrant(config, device, undefined, { signal }), signal);
  } finally {
    stop();
  }
}

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
      : (await import("./login.ts")).signInByCode;
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
