import createClient, { type Client } from "openapi-fetch";
import type { paths } from "../../dist-types/management-api.d.ts";
import { credentialsFile, isTokenText, readCredentials } from "../account/credentials.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { readProject } from "../project/project.ts";
import { clean } from "../terminal/clean.ts";
import { requireEncryption } from "./encryption.ts";
import { type SendOptions, send } from "./send.ts";

/**
 * Converts the URL of a service, as a person enters it, to the base URL without a slash at the end. If the scheme is missing, `localhost`
 * and loopback addresses get `http`, all others `https`. Throws a usage error if the text is not an http or https URL.
 */
function baseUrlOf(given: string): string {
  const text = given.trim();
  const isLocal = /^(localhost|[^/:]*\.localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)/i.test(text);
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `${isLocal ? "http" : "https"}://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.hostname === "")
    return fail(`\`${clean(given)}\` is not the URL of a service.`, { exit: "usage" });
  return url.origin;
}

/** A service, with the token of the person. */
export interface Service {
  /** The base URL, without a slash at the end. */
  url: string;
  token: string;
  /** A typed client of the management API. Its calls throw a `Refusal` for an error response. */
  api: Client<paths>;
  /** Sends a request that `api` cannot send, such as an upload. `path` begins with `/`. See `send`. */
  send(path: string, init: () => RequestInit, options?: SendOptions): Promise<Response>;
}

/** Returns the body of a successful response of `api`. */
export async function bodyOf<Body>(response: Promise<{ data?: Body }>): Promise<NonNullable<Body>> {
  return (await response).data as NonNullable<Body>;
}

/**
 * Returns the base URL of the service to use: the `--url` flag, `EASEL_URL`, the service that `folder` was deployed to, or the last sign-in.
 * Throws a usage error if there is none.
 */
export async function serviceUrl(
  { url, folder }: { url?: string | undefined; folder?: string | undefined },
  context: Context,
): Promise<string> {
  const given = url ?? (context.env.EASEL_URL || undefined);
  if (given !== undefined) return baseUrlOf(given);
  const project = folder === undefined ? undefined : await readProject(folder);
  if (project !== undefined) return project.url;
  const { last } = await readCredentials(context);
  return (
    last ?? fail("No service is known.", { exit: "usage", hint: "Run `easel login URL`, or set EASEL_URL." })
  );
}

/**
 * Returns the token for a service, and where it comes from: `EASEL_TOKEN`, or the file of the stored sign-in. Throws a `Failure` if there is
 * none.
 */
async function tokenFor(url: string, context: Context): Promise<{ token: string; source: string }> {
  // Secrets of CI often end with a line break.
  const given = context.env.EASEL_TOKEN?.trim();
  if (given && !isTokenText(given))
    fail("EASEL_TOKEN holds no token: it has spaces or letters that no token has.", { exit: "usage" });
  if (given) return { token: given, source: "EASEL_TOKEN" };
  const { services } = await readCredentials(context);
  const token = services[url]?.token;
  if (token !== undefined) return { token, source: credentialsFile(context) };
  return fail(`You are not signed in at ${url}.`, {
    exit: "signedOut",
    hint: `Run \`easel login ${url}\`, or set EASEL_TOKEN.`,
  });
}

/**
 * Returns the base URL that `serviceUrl` finds, the token for it, and where the token comes from. Throws a usage error if `EASEL_TOKEN`
 * would go to a URL that comes only from `.easel/project.json` in the folder.
 */
export async function findAccount(
  options: { url?: string | undefined; folder?: string | undefined },
  context: Context,
): Promise<{ url: string; token: string; source: string }> {
  const url = await serviceUrl(options, context);
  const { token, source } = await tokenFor(url, context);
  const isNamed = options.url !== undefined || Boolean(context.env.EASEL_URL);
  // The folder may come from somebody else. Its `.easel/project.json` could name a service that steals the token.
  if (source === "EASEL_TOKEN" && !isNamed && (await readCredentials(context)).services[url] === undefined)
    fail(`EASEL_TOKEN is not sent to ${clean(url)}, which only the folder names.`, {
      exit: "usage",
      hint: "Set EASEL_URL, too.",
    });
  return { url, token, source };
}

/** Connects to the service that `serviceUrl` finds, with the token of the person. Sends nothing yet. */
export async function connect(
  options: { url?: string | undefined; folder?: string | undefined },
  context: Context,
): Promise<Service> {
  const { url, token } = await findAccount(options, context);
  return serviceAt(url, token, context);
}

/** Returns a service with a given base URL and token. Throws a usage error for an http URL of another computer. */
export function serviceAt(
  url: string,
  token: string,
  { signal, terminal }: Pick<Context, "signal" | "terminal">,
): Service {
  requireEncryption(url);
  const context = { url, token, signal, terminal, wasReached: false };
  return {
    url,
    token,
    api: createClient<paths>({ baseUrl: url, fetch: (request) => send(() => request.clone(), context) }),
    send: (path, init, options) => send(() => new Request(url + path, init()), context, options),
  };
}
