import { z } from "zod";
import type { ErrorCase } from "../http/error-case.ts";
import type { Act } from "../management/act.ts";
import { CALLERS } from "../management/callers.ts";
import { scopesOf } from "../management/require-scope.ts";
import { bytes, type Operation } from "../primitives/description.ts";
import type { Operations, Surface } from "./conversion.ts";
import type { CommonErrors } from "./error-responses.ts";
import type { PathItem, Tag } from "./openapi.ts";

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
    description: "Groups of people with whom canvases are shared.",
    has: ({ path }) => path.startsWith("/api/teams"),
  },
  { name: "Account", description: "The caller, their sessions and their access tokens.", has: () => true },
];

/** The groups in the order in which readers see them: `Account` first, `Administration` last. */
export const MANAGEMENT_TAGS: Tag[] = GROUPS.map(({ name, description }) => ({
  name,
  description,
})).toReversed();

const COMMON: CommonErrors = {
  name: "Management",
  errors: ["INVALID_BODY", "RATE_LIMITED", "CONCURRENCY_LIMIT"],
};

const surfaceOf = (act: Act): Surface => ({
  tag: GROUPS.find(({ has }) => has(act))?.name ?? "",
  common: COMMON,
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
  const scopes = scopesOf(act).map((scope) => `\`${scope}\``);
  if (scopes.length === 0) return "";
  const fields = Array.isArray(act.deploys) ? act.deploys.map((field) => `\`${field}\``).join(", ") : null;
  return ` Scopes of tokens: ${scopes.join(", ")}${fields === null ? "" : `; \`deploy\` sets only ${fields}`}.`;
}

/** Converts an act of the management API to an `Operation`, the type that describes the operations of primitives. */
function operationOf(act: Act): Operation {
  const { name, summary, details = "", allow, query, body, response, errors = [] } = act;
  const { status, schema, type } = response;
  const description = schema === null && type === undefined ? "Done." : "The result.";
  const content = schema === null ? {} : { type: "application/json", schema };
  return {
    id: name,
    summary,
    details: `${details}\n\nCallers: ${CALLERS[allow].who}.${tokensOf(act)}`.trim(),
    ...(query !== undefined && { query }),
    ...(body !== undefined && {
      body: {
        type: body.type,
        schema: body.schema ?? (body.type === "application/octet-stream" ? bytes : z.any()),
        ...(body.optional && { optional: true }),
      },
    }),
    responses: { [status]: { description, ...(type !== undefined && { type }), ...content } },
    errors: [...errorsOf(act), ...errors],
  };
}

/** Describes the operations of the management API. */
export const managementPaths = (acts: readonly Act[], operations: Operations): [string, PathItem][] =>
  acts.map((act) => [
    act.path,
    { [act.method.toLowerCase()]: operations.convert(act.path, operationOf(act), surfaceOf(act)) },
  ]);
