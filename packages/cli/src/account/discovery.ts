import { allowInsecureRequests, Configuration, customFetch, None } from "openid-client";
import { z } from "zod/mini";
import { requireEncryption } from "../api/encryption.ts";
import { Refusal } from "../api/refusal.ts";
import { type SendContext, send } from "../api/send.ts";
import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { clean } from "../terminal/clean.ts";

const CLIENT_ID = "easel-cli";
const PATH = "/.well-known/oauth-authorization-server";

const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  device_authorization_endpoint: z.string(),
  revocation_endpoint: z.string(),
  authorization_response_iss_parameter_supported: z.literal(true),
});

/** Reads the OAuth metadata of a service (RFC 8414), and returns the configuration for a sign-in. Throws a `Failure` if it has none. */
export async function discover(url: string, { signal, terminal }: Context): Promise<Configuration> {
  const context: SendContext = { url, token: undefined, signal, terminal, wasReached: false };
  const text = await send(() => new Request(url + PATH), context)
    .then((response) => response.text())
    .catch((error: unknown) => {
      throw error instanceof Refusal ? reasonOf(error, url) : error;
    });
  const metadata = parse(text);
  if (metadata === undefined) return failAsOther(url);
  if (metadata.issuer !== url) {
    const issuer = clean(metadata.issuer);
    return fail(`The service at ${url} has the address ${issuer}.`, {
      exit: "usage",
      hint: `Run \`easel login ${issuer}\`.`,
    });
  }
  const { issuer: _, authorization_response_iss_parameter_supported: __, ...endpoints } = metadata;
  // The command line sends secrets to these addresses, so another origin is not allowed.
  if (Object.values(endpoints).some((each) => URL.parse(each)?.origin !== url)) return failAsOther(url);
  const config = new Configuration(metadata, CLIENT_ID, undefined, None());
  // `login` allows http only for a service on this computer.
  if (url.startsWith("http:")) allowInsecureRequests(config);
  config[customFetch] = (address, { body = null, headers, method, redirect, signal: own }) =>
    fetch(address, {
      body: body instanceof ReadableStream ? null : (body as string | URLSearchParams | null),
      headers,
      method,
      redirect,
      signal: AbortSignal.any([signal, ...(own ? [own] : [])]),
    });
  return config;
}

function parse(text: string): z.infer<typeof Metadata> | undefined {
  try {
    return Metadata.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Converts an error response to the request for the metadata into a more helpful error. */
function reasonOf(error: Refusal, url: string): unknown {
  if (error.exit === "signedOut") {
    return new Refusal(
      error.status,
      { message: `${url} asks for a sign-in before the service is reached.` },
      "If a proxy of your organisation answers, ask its operator to let the command line through: see Sign-in in docs/operating.md.",
    );
  }
  // Only the service's own errors have a code.
  if (error.code !== undefined) return error;
  return failAsOther(url);
}

const failAsOther = (url: string): never =>
  fail(`${url} is not an Easel service.`, {
    hint: "Give the address of its home page, which lists your canvases.",
  });

/** The access that the command line requests, as OAuth parameters. `host` is the name of this computer. */
export interface AskedAccess extends Record<string, string> {
  host: string;
  scope: string;
}

/** The token that the service issues. `expires_in` is in seconds; it is undefined for a token that does not expire. */
export interface TokenResponse {
  access_token: string;
  expires_in?: number | undefined;
}

/** Revokes a token at its service (RFC 7009). Throws a `Failure` if the service refuses, cannot be reached or is not encrypted. */
export async function revokeToken(url: string, token: string, { signal, terminal }: Context): Promise<void> {
  requireEncryption(url);
  const body = new URLSearchParams({ client_id: "easel-cli", token });
  const create = () => new Request(`${url}/oauth/revoke`, { method: "POST", body });
  await send(create, { url, token: undefined, signal, terminal, wasReached: false });
}
