import { TOKEN_SCOPES } from "@easel/protocol/management";
import { z } from "zod";
import type { Description } from "../operations/operation.ts";
import type { BodyDescription } from "../operations/operation-body.ts";
import { json } from "../primitives/description.ts";
import type { Operations } from "./conversion.ts";
import type { CommonErrors } from "./error-responses.ts";
import type { PathItem, SecurityRequirement, Tag } from "./openapi.ts";

export const SERVICE_TAG: Tag = {
  name: "Service",
  description: "Sign-in for programs, health, and files that describe the service.",
};

const page = (type: string, description: string): Description["responses"] => ({
  200: { description, type, headers: { ETag: "Identifies the content, for `If-None-Match`." } },
  304: { description: "The client has the current content." },
});

const healthy = json("The service is well.", z.strictObject({ ok: z.literal(true) }));

const COMMON: CommonErrors = { name: "Service", errors: [] };

const form = (fields: Record<string, z.ZodType>): BodyDescription => ({
  type: "application/x-www-form-urlencoded",
  schema: z.object({ client_id: z.string(), ...fields }),
});

/** Describes an address at which programs find how to get access to the tools. `name` is the name of the operation. */
const resourceDescription = (name: string, details?: string) => ({
  operation: {
    name,
    summary: "Returns where a program gets access to the tools of `/mcp` (RFC 9728).",
    ...(details === undefined ? {} : { details }),
    responses: json(
      "The metadata.",
      z.looseObject({
        resource: z.url(),
        authorization_servers: z.array(z.url()),
        scopes_supported: z.array(z.string()),
        bearer_methods_supported: z.array(z.string()),
      }),
    ),
    errors: ["NOT_FOUND" as const],
  },
});

/** The error response of an OAuth endpoint (RFC 6749, section 5.2). */
const OAUTH_ERROR: Description["responses"] = json(
  "An error of OAuth.",
  z.object({ error: z.string(), error_description: z.string() }).meta({ id: "OAuthError" }),
  400,
);

interface Route {
  operation: Description;
  /** The credentials that requests need; by default none. */
  security?: SecurityRequirement[];
}

/** The endpoints for programs that belong neither to the runtime API nor to the management API, such as `GET /llms.txt`. */
export const SERVICE_ROUTES: Record<string, Route> = {
  "POST /auth/dev/session": {
    operation: {
      name: "sign-in.dev",
      summary: "Signs in as any person, without credentials.",
      details: "Exists in dev mode only, otherwise the response is 404.",
      body: {
        type: "application/json",
        schema: z.strictObject({ email: z.string(), name: z.string().min(1).max(200).optional() }),
      },
      responses: {
        204: { description: "The person is signed in.", headers: { "Set-Cookie": "The session cookie." } },
      },
      errors: [
        "INVALID_BODY",
        "BODY_TOO_LARGE",
        "PERMISSION_DENIED",
        "CROSS_SITE_FORBIDDEN",
        "NOT_FOUND",
        "RATE_LIMITED",
      ],
    },
  },
  "POST /auth/logout": {
    operation: {
      name: "sign-in.end",
      summary: "Ends the session.",
      details: "A client that accepts HTML gets a page.",
      responses: {
        200: { description: "The session has ended.", type: "text/html" },
        204: {
          description: "The session has ended.",
          headers: { "Set-Cookie": "Deletes the session cookie." },
        },
      },
      errors: ["CROSS_SITE_FORBIDDEN"],
    },
  },
  "GET /.well-known/oauth-authorization-server": {
    operation: {
      name: "oauth.metadata",
      summary: "Returns the endpoints of OAuth 2 (RFC 8414), by which programs get an access token.",
      details: "404 if the service accepts no access tokens; so are the endpoints.",
      responses: json(
        "The metadata.",
        z.looseObject({
          issuer: z.url(),
          authorization_endpoint: z.url(),
          token_endpoint: z.url(),
          device_authorization_endpoint: z.url(),
          revocation_endpoint: z.url(),
          registration_endpoint: z.url().optional(),
        }),
      ),
      errors: ["NOT_FOUND"],
    },
  },
  "GET /.well-known/oauth-protected-resource": resourceDescription(
    "oauth.resource",
    "The same is at `/.well-known/oauth-protected-resource/mcp`.",
  ),
  "GET /.well-known/oauth-protected-resource/mcp": resourceDescription("oauth.resource-mcp"),
  "POST /oauth/token": {
    operation: {
      name: "oauth.token",
      summary: "Exchanges a code or a refresh token for an access token.",
      details:
        "`grant_type` is `authorization_code` with PKCE (RFC 6749, RFC 7636), `refresh_token`, or the device code of RFC 8628, which is for the command line alone. A code that is used twice ends the access that it gave. Programs other than the command line get access to `/mcp`, and a refresh token with it. A refresh token is used once: a second use ends the connected tool, unless it comes within a minute and nothing of the first response was used. `resource` can only be the address of `/mcp`. A `scope` is ignored.",
      body: form({
        grant_type: z.string(),
        code: z.string().optional(),
        redirect_uri: z.string().optional(),
        code_verifier: z.string().optional(),
        device_code: z.string().optional(),
        refresh_token: z.string().optional(),
        resource: z.string().optional(),
      }),
      responses: {
        ...json(
          "The token.",
          z.object({
            access_token: z.string(),
            token_type: z.literal("Bearer"),
            expires_in: z.int(),
            refresh_token: z.string().optional(),
            scope: z.enum(TOKEN_SCOPES),
          }),
        ),
        ...OAUTH_ERROR,
      },
      errors: ["NOT_FOUND", "CROSS_SITE_FORBIDDEN"],
    },
  },
  "POST /oauth/device_authorization": {
    operation: {
      name: "oauth.device",
      summary: "Starts the sign-in of a program on a computer without a browser (RFC 8628).",
      details:
        "The person enters `user_code` at `verification_uri`; the program asks `POST /oauth/token` meanwhile.",
      body: form({
        scope: z.enum(TOKEN_SCOPES).optional(),
        canvas: z.string().optional(),
        host: z.string().optional(),
      }),
      responses: {
        ...json(
          "The codes.",
          z.object({
            device_code: z.string(),
            user_code: z.string(),
            verification_uri: z.url(),
            expires_in: z.int(),
            interval: z.int(),
          }),
        ),
        ...OAUTH_ERROR,
      },
      errors: ["NOT_FOUND", "CROSS_SITE_FORBIDDEN"],
    },
  },
  "POST /oauth/revoke": {
    operation: {
      name: "oauth.revoke",
      summary: "Ends an access token, or a connected tool by its refresh token (RFC 7009).",
      details:
        "Needs nothing but the token and the id of the client that has got it: `invalid_grant` for that of another client. An unknown token is no error. An access token that a person has created is no client's.",
      body: form({ token: z.string() }),
      responses: { ...json("The token has ended.", z.object({})), ...OAUTH_ERROR },
      errors: ["NOT_FOUND", "CROSS_SITE_FORBIDDEN"],
    },
  },
  "POST /oauth/register": {
    operation: {
      name: "oauth.register",
      summary: "Registers a program, which gets a client id (RFC 7591).",
      details:
        "Nothing is stored: the same name and redirect URIs give the same client id. A program has no secret. Redirect URIs that are not accepted are left out. Other metadata is ignored. 403 with the error `access_denied` if registration is off.",
      body: {
        type: "application/json",
        schema: z.looseObject({ client_name: z.string().optional(), redirect_uris: z.array(z.string()) }),
      },
      responses: {
        201: {
          description: "The client.",
          type: "application/json",
          schema: z.looseObject({
            client_id: z.string(),
            client_id_issued_at: z.int(),
            client_name: z.string(),
            redirect_uris: z.array(z.string()),
            token_endpoint_auth_method: z.literal("none"),
          }),
        },
        ...OAUTH_ERROR,
      },
      errors: ["NOT_FOUND", "CROSS_SITE_FORBIDDEN"],
    },
  },
  "GET /healthz": {
    operation: {
      name: "service.health",
      summary: "Succeeds while the process runs and does not stop.",
      responses: healthy,
      errors: ["UNAVAILABLE"],
    },
  },
  "GET /readyz": {
    operation: {
      name: "service.ready",
      summary: "Succeeds while the database, the blob store and the bus can be used.",
      responses: healthy,
      errors: ["UNAVAILABLE"],
    },
  },
  "GET /sdk/v1.js": {
    operation: {
      name: "service.sdk",
      summary: "Returns the browser SDK, which defines the global `easel`.",
      details: "A page of a canvas with a Public link may load it without sign-in.",
      responses: page("application/javascript", "The script."),
      errors: [],
    },
    security: [{ session: [] }, { token: [] }],
  },
  "GET /sdk/easel.css": {
    operation: {
      name: "service.stylesheet",
      summary: "Returns the stylesheet for pages.",
      details: "`Content-Location` is the address of this version, which caches may keep for a year.",
      responses: page("text/css", "The stylesheet."),
    },
  },
  "GET /favicon.ico": {
    operation: {
      name: "service.favicon",
      summary: "Returns the icon of pages that have none of their own.",
      responses: page("image/svg+xml", "The icon."),
    },
  },
  "GET /schema/easel.json": {
    operation: {
      name: "service.schema",
      summary: "Returns the JSON Schema of `easel.json`.",
      responses: page("application/schema+json", "The schema."),
    },
  },
  "GET /openapi.json": {
    operation: {
      name: "service.openapi",
      summary: "Returns the OpenAPI document of the service.",
      responses: page("application/json", "The document."),
    },
  },
  "GET /openapi/runtime.json": {
    operation: {
      name: "service.openapiRuntime",
      summary: "Returns the part of the OpenAPI document with the runtime API.",
      responses: page("application/json", "The document."),
    },
  },
  "GET /openapi/management.json": {
    operation: {
      name: "service.openapiManagement",
      summary: "Returns the part of the OpenAPI document with the management API.",
      responses: page("application/json", "The document."),
    },
  },
  "GET /llms.txt": {
    operation: {
      name: "service.llms",
      summary: "Returns an overview of the documentation for language models.",
      responses: page("text/plain", "The overview."),
    },
  },
  "GET /skill.md": {
    operation: {
      name: "service.skill",
      summary: "Returns instructions for agents that write canvases.",
      responses: page("text/markdown", "The instructions."),
    },
  },
};

/** Returns the OpenAPI path and path item of each endpoint in `SERVICE_ROUTES`. */
export const adjacentPaths = (operations: Operations): [string, PathItem][] =>
  Object.entries(SERVICE_ROUTES).map(([route, { operation, security = [] }]) => {
    const [method = "", path = ""] = route.split(" ");
    const surface = { tag: SERVICE_TAG.name, common: COMMON, isLimited: false, security };
    return [path, { [method.toLowerCase()]: operations.convert(path, operation, surface) }];
  });
