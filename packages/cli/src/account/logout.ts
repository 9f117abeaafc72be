import { serviceUrl } from "../api/service.ts";
import type { Context } from "../context.ts";
import { Failure, fail } from "../exit.ts";
import { readCredentials, writeCredentials } from "./credentials.ts";
import { revokeToken } from "./discovery.ts";

/** Signs the person out of a service: revokes the token and deletes it here. If it cannot be revoked, deletes it and prints a warning. */
export async function logout(given: string | undefined, context: Context): Promise<void> {
  const { terminal, signal } = context;
  const url = await serviceUrl({ url: given, folder: context.cwd }, context);
  const { last, services } = await readCredentials(context);
  const { [url]: stored, ...others } = services;
  if (stored === undefined) return fail(`You are not signed in at ${url}.`, { exit: "signedOut" });
  let ended = true;
  try {
    await revokeToken(url, stored.token, context);
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    ended = false;
    terminal.warn(`${error.message} The token is removed here, but stays valid: end it at ${url}/tokens`);
  }
  const next = last === url ? (Object.keys(others).at(-1) ?? null) : last;
  await writeCredentials({ last: next, services: others }, context);
  terminal.say(`You are signed out of ${url}.`);
  if (context.env.EASEL_TOKEN) terminal.warn("EASEL_TOKEN is set, and is still used.");
  terminal.result({ url, ended }, () => "");
}
