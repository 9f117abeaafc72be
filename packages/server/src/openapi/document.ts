import type { Env } from "../env.ts";
import { sessionCookie } from "../identity/session.ts";
import { ACTS } from "../management/acts.ts";
import { primitives } from "../primitives/index.ts";
import { adjacentPaths, SERVICE_TAG } from "./adjacent.ts";
import { Operations } from "./conversion.ts";
import { ERROR_SCHEMAS, HEADERS } from "./error-responses.ts";
import { MANAGEMENT_TAGS, managementPaths } from "./management.ts";
import type { OpenApi, PathItem } from "./openapi.ts";
import { PATH_PARAMETERS } from "./parameters.ts";
import { runtimePaths, runtimeTags } from "./runtime.ts";

const DESCRIPTION = `Easel hosts small web apps, called canvases, and gives each page a backend.

- The **runtime API** below \`/v1/c/{slug}\` is the backend of the pages of one canvas. Pages call it by the SDK, \`/sdk/v1.js\`.
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
