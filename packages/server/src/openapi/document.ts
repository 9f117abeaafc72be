import type { Env } from "../env.ts";
import { apiPath } from "../http/canvas-path.ts";
import type { ErrorCase } from "../http/refusal.ts";
import { sessionCookie } from "../identity/session.ts";
import type { Act } from "../management/act.ts";
import { ACTS } from "../management/acts.ts";
import { CALLERS, tokenScopesOf } from "../management/callers.ts";
import type { Description } from "../operations/operation.ts";
import { primitives } from "../primitives/index.ts";
import type { Primitive } from "../primitives/primitive.ts";
import { Operations, type Surface } from "./conversion.ts";
import { type CommonErrors, ERROR_SCHEMAS, HEADERS } from "./error-responses.ts";
import type { OpenApi, PathItem, Tag } from "./openapi.ts";
import { adjacentPaths, SERVICE_TAG } from "./other-addresses.ts";
import { PATH_PARAMETERS } from "./parameters.ts";

/** The errors that every request to the runtime API can get, because the pipeline checks it before a handler runs. */
const RUNTIME_ERRORS: CommonErrors = {
  name: "Runtime",
  errors: [
    "INVALID_BODY",
    "PASSWORD_REQUIRED",
    "PERMISSION_DENIED",
    "CAPABILITY_DISABLED",
    "CROSS_CANVAS_FORBIDDEN",
    "CROSS_SITE_FORBIDDEN",
    "DISABLED",
    "STATIC_ONLY",
    "NOT_FOUND",
    "ARCHIVED",
    "NOT_INVITED",
    "OWNER_ONLY",
    "SHARE_EXPIRED",
    "RATE_LIMITED",
    "CONCURRENCY_LIMIT",
  ],
};

/** Returns the group of operations of each primitive. */
const runtimeTags = (primitives: readonly Primitive[]): Tag[] =>
  primitives.map(({ title, summary }) => ({ name: title, description: summary }));

/** Describes the operations of the runtime API. */
function runtimePaths(
  primitives: readonly Primitive[],
  operations: Operations,
): [path: string, item: PathItem][] {
  return primitives.flatMap(({ title, operations: own }) =>
    own.map((operation): [string, PathItem] => {
      const path = apiPath("{slug}") + operation.path;
      const surface = { tag: title, common: RUNTIME_ERRORS, isLimited: true };
      return [path, { [operation.method.toLowerCase()]: operations.convert(path, operation, surface) }];
    }),
  );
}

/** The groups of the operations of the management API. An act belongs to the first group for which `has` is true. */
const GROUPS: (Tag & { has: (act: Act) => boolean })[] = [
  {
    name: "Administration",
    description: "For the administrators of the instance. It gives no access to canvases.",
    has: ({ allow }) => allow === "administrator",
  },
  {
    name: "Deploys",
    description: "Versions of a canvas: deploys, rollbacks and downloads.",
    has: ({ path }) => /\/(bundle|versions|deploys)\b/.test(path),
  },
  {
    name: "Canvases",
    description: "Canvases, their sharing, capabilities and invitations.",
    has: ({ path }) => path.startsWith("/api/canvases"),
  },
  {
    name: "Teams",
    description: "People, and groups of people, with whom canvases are shared.",
    has: ({ path }) => /^\/api\/(teams|people)\b/.test(path),
  },
  { name: "Account", description: "The caller, their sessions and their access tokens.", has: () => true },
];

/** The groups in the order in which readers see them: `Account` first, `Administration` last. */
export const MANAGEMENT_TAGS: Tag[] = GROUPS.map(({ name, description }) => ({
  name,
  description,
})).toReversed();

const MANAGEMENT_ERRORS: CommonErrors = {
  name: "Management",
  errors: ["INVALID_BODY", "RATE_LIMITED", "CONCURRENCY_LIMIT"],
};

const surfaceOf = (act: Act): Surface => ({
  tag: GROUPS.find(({ has }) => has(act))?.name ?? "",
  common: MANAGEMENT_ERRORS,
  isLimited: true,
  ...(act.allow === "session" && { security: [{ session: [] }] }),
});

/**
 * Returns the errors that an act can have because of its method, path, body and group of callers, such as `NOT_FOUND` if its path has
 * parameters.
 */
function errorsOf({ method, path, body, allow }: Act): ErrorCase[] {
  const changes = method !== "GET";
  const ofCanvas = ["viewer", "editor", "owner"].includes(allow);
  return [
    ...(allow === "everyone" ? [] : (["PERMISSION_DENIED"] as const)),
    ...(changes ? (["CROSS_SITE_FORBIDDEN"] as const) : []),
    ...(path.includes("{") ? (["NOT_FOUND"] as const) : []),
    ...(changes && ofCanvas && allow !== "viewer" ? ([["DISABLED", 409]] as const) : []),
    ...(allow === "owner" ? ([["OWNER_ONLY", 403]] as const) : []),
    ...(body?.tooLarge === undefined ? [] : [body.tooLarge]),
  ];
}

/** Returns a sentence that names the scopes of the access tokens that may perform an act, or an empty text if no token may. */
function tokensOf(act: Act): string {
  const scopes = tokenScopesOf(act).map((scope) => `\`${scope}\``);
  if (scopes.length === 0) return "";
  const fields = Array.isArray(act.deploys) ? act.deploys.map((field) => `\`${field}\``).join(", ") : null;
  return ` Scopes of tokens: ${scopes.join(", ")}${fields === null ? "" : `; \`deploy\` sets only ${fields}`}.`;
}

/** Returns an act with the details and errors that its callers, tokens and path give it. */
const described = (act: Act): Description => ({
  ...act,
  details: `${act.details ?? ""}\n\nCallers: ${CALLERS[act.allow].who}.${tokensOf(act)}`.trim(),
  errors: [...errorsOf(act), ...(act.errors ?? [])],
});

/** Describes the operations of the management API. */
const managementPaths = (acts: readonly Act[], operations: Operations): [string, PathItem][] =>
  acts.map((act) => [
    act.path,
    { [act.method.toLowerCase()]: operations.convert(act.path, described(act), surfaceOf(act)) },
  ]);

const DESCRIPTION = `Easel hosts small web apps, called canvases, and gives each page a backend.

- The **runtime API** below \`/v1/c/{slug}\` is the backend of the pages of one canvas. Pages call it by the SDK, \`/sdk/v1.js\`.
  The same operations are below \`/api/canvases/{id}/runtime\`, for clients other than pages of canvases, and are not listed twice.
- The **management API** below \`/api\` is for dashboards, command lines and CI.

Every path that has GET also has HEAD. Other methods get 405 \`METHOD_NOT_ALLOWED\` with \`Allow\`. Times are epoch milliseconds, ids are
opaque strings. Later versions may add fields to responses, and codes to errors.

In subdomain mode, the responses of the runtime API have CORS headers for the pages of their canvas, and OPTIONS is answered without
sign-in. In path mode, pages have the origin of the API.`;

const SESSION = `The session of a browser. With a reverse proxy that signs people in, the headers of the proxy identify the caller instead of
the cookie. A canvas with a password also needs the cookie \`__service_gate\`, which its password page sets.`;

/** Returns the path items by path. Entries with the same path become one item with all their methods. */
function byPath(entries: [path: string, item: PathItem][]): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const [path, item] of entries) paths[path] = { ...paths[path], ...item };
  return paths;
}

/** Returns the OpenAPI document of all endpoints of the service that programs use. */
export function openApiOf(env: Pick<Env, "base">): OpenApi {
  const operations = new Operations(env.base.origin);
  const paths = byPath([
    ...runtimePaths(primitives, operations),
    ...managementPaths(ACTS, operations),
    ...adjacentPaths(operations),
  ]);
  return {
    openapi: "3.1.1",
    info: {
      title: "Easel",
      version: "1",
      summary: "The HTTP APIs of Easel.",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: env.base.origin, description: "This service." }],
    security: [{ session: [] }, { token: [] }],
    tags: [...runtimeTags(primitives), ...MANAGEMENT_TAGS, SERVICE_TAG].map(({ name, description }) => ({
      name,
      description: operations.text(description),
    })),
    paths,
    components: {
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookie(env.base.secure),
          description: SESSION,
        },
        token: {
          type: "http",
          scheme: "bearer",
          description:
            "A personal access token, `easel_pat_…`. Members create them at `POST /api/tokens`. The scope of a token, and the canvas that it is for, can restrict it: 403 `PERMISSION_DENIED`.",
        },
      },
      parameters: PATH_PARAMETERS,
      headers: HEADERS,
      responses: operations.errors.named,
      schemas: { ...ERROR_SCHEMAS, ...operations.schemas.named },
    },
  };
}
