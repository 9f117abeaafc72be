import type { Json } from "@easel/protocol/types";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Env } from "../../env.ts";
import { essenceOf, parseJson, readBody } from "../../http/body.ts";
import { Refusal } from "../../http/refusal.ts";
import { admitProgram, refuseOAuth } from "../program-endpoint.ts";
import { cleanClientName } from "./client-name.ts";
import { acceptable, registeredId } from "./registered.ts";

const MAX_BODY_BYTES = 16 * 1024;
const MAX_REDIRECTS = 20;

/** Reads the metadata of a client (RFC 7591, section 2), of which most fields do not matter here. */
async function readMetadata(request: FastifyRequest): Promise<Partial<Record<string, Json>>> {
  if (essenceOf(request.headers["content-type"]) !== "application/json")
    refuseOAuth("invalid_client_metadata", "The body must be JSON: application/json.");
  const body = await readBody(request.raw, MAX_BODY_BYTES, () =>
    refuseOAuth("invalid_client_metadata", `The body is larger than ${MAX_BODY_BYTES} bytes.`, 413),
  );
  let metadata: Json;
  try {
    metadata = parseJson(body);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refuseOAuth("invalid_client_metadata", error.message);
  }
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    return refuseOAuth("invalid_client_metadata", "The body must be a JSON object.");
  return metadata;
}

/** Returns the redirect URIs of a registration that are accepted. Throws `invalid_redirect_uri` if there is none. */
function readRedirectUris(given: Json | undefined, env: Env): string[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_REDIRECTS)
    return refuseOAuth(
      "invalid_redirect_uri",
      `redirect_uris must be an array of 1 to ${MAX_REDIRECTS} texts.`,
    );
  const accepted = acceptable(
    given.filter((uri) => typeof uri === "string"),
    env,
  );
  if (accepted.length > 0) return accepted;
  return refuseOAuth(
    "invalid_redirect_uri",
    "A program that registers itself returns to http://127.0.0.1, http://[::1], http://localhost or a URI scheme such as com.example.app:, " +
      "not to this service. For another scheme, ask an administrator to add the address to SERVICE_OAUTH_CLIENTS; for a web address, publish a " +
      "client ID metadata document, or ask them to add its host there.",
  );
}

/**
 * Mounts `POST /oauth/register` (RFC 7591), by which a program gets a client id for the name and the redirect URIs that it sends. Nothing is
 * stored. Of several redirect URIs, those that are not accepted are left out, and the response says so: some programs send one for each of
 * their editions.
 */
export function mountRegister(app: FastifyInstance, env: Env): void {
  const limits = {
    path: "/oauth/register",
    perMinute: env.config.loginPerMinute,
    tooMany: "temporarily_unavailable",
  } as const;
  app.post(limits.path, async (request, reply) => {
    await admitProgram(request, reply, limits, env);
    if (!env.config.oauthRegistration)
      refuseOAuth(
        "access_denied",
        "Programs cannot register themselves here. Ask an administrator to add the program to SERVICE_OAUTH_CLIENTS.",
        403,
      );
    const metadata = await readMetadata(request);
    const name = cleanClientName(metadata.client_name) ?? "A program without a name";
    const redirectUris = readRedirectUris(metadata.redirect_uris, env);
    const id = registeredId({ name, redirectUris }, env);
    if (id === null)
      return refuseOAuth("invalid_client_metadata", "The name and the redirect URIs are too long together.");
    return reply
      .code(201)
      .header("cache-control", "no-store")
      .send({
        client_id: id,
        client_id_issued_at: Math.floor(env.clock() / 1000),
        client_name: name,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: redirectUris.every((uri) => uri.startsWith("https:")) ? "web" : "native",
      });
  });
}
