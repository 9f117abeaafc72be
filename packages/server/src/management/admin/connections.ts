import { LIMITS } from "@easel/protocol/limits";
import type { ConnectionProfile } from "@easel/protocol/management";
import { CONNECTION_METHODS, isResourceName } from "@easel/protocol/policy";
import { z } from "zod";
import type { Env } from "../../env.ts";
import { distinct, entries } from "../../http/field-schemas.ts";
import { refuse } from "../../http/refusal.ts";
import { callsOfProfile } from "../../organisation/connections/calls.ts";
import {
  deleteGrant,
  type ListedGrant,
  listGrants,
  putGrant,
} from "../../organisation/connections/grants.ts";
import {
  deleteProfile,
  findProfile,
  isServiceOrigin,
  listProfiles,
  openHeaders,
  type Profile,
  parseOrigin,
  putProfile,
} from "../../organisation/connections/profiles.ts";
import { isRemoved } from "../../primitives/connections/removed-headers.ts";
import { testConnection } from "../../primitives/connections/test-call.ts";
import { act, noContent, ok } from "../act.ts";
import { json, optionalJson } from "../bodies.ts";
import { dayRange, rangeOf } from "../list-query.ts";
import {
  connectionProfile,
  connectionProfileList,
  connectionTest,
  profileUsage,
} from "../responses/connections.ts";

const NAME = /^[a-z][a-z0-9_-]{0,62}$/;

/**
 * Whether a text can be the name of a profile. It must also be a valid key in the policy document of a canvas, so `constructor` is refused.
 */
const isName = (text: string) => NAME.test(text) && isResourceName(text);

/** The schema of the path parameters. */
const Params = z.object({
  profile: z
    .string()
    .refine(
      isName,
      "must be a name of 1 to 63 lower-case letters, digits, hyphens and underscores that begins with a letter",
    ),
});

const origin = z.string().transform((given, context) => {
  const parsed = parseOrigin(given);
  if (parsed === null)
    context.addIssue({
      code: "custom",
      message: "must be https:// with a host name and at most a port, such as https://api.example.com",
    });
  return parsed ?? z.NEVER;
});

/**
 * The names of headers that an administrator cannot set as protected headers. They belong to the HTTP connection, such as
 * `transfer-encoding`, or change how the request is routed or answered, such as `host`.
 */
const UNPROTECTABLE =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/;

const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, "is not a header name")
  .toLowerCase()
  .refine((name) => !UNPROTECTABLE.test(name), "cannot be a protected header")
  .refine((name) => name !== "__proto__", "is not a header name");

const headerValue = z
  .string()
  .max(8 * 1024)
  .regex(/^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/, "must be ASCII without spaces at its ends");

const MAX_HEADERS = 16;

/** The name of a header that pages may send. Those that say who the caller is, or belong to the connection, no profile can let through. */
const sentName = z
  .string()
  .max(100)
  .toLowerCase()
  .refine((name) => !isRemoved(name), "cannot come from a page");

/** The schema of a profile, as an administrator gives it. */
const Body = z.strictObject({
  origin,
  methods: z
    .array(z.enum(CONNECTION_METHODS))
    .min(1, "must name at least one method; `enabled: false` stops every call")
    .max(CONNECTION_METHODS.length)
    .refine(distinct, "must not name a method twice"),
  requestHeaders: z
    .array(sentName)
    .max(LIMITS.connectionHeaders.value)
    .refine(distinct, "must not name a header twice")
    .optional(),
  headers: entries(headerName, headerValue, MAX_HEADERS).optional(),
  enabled: z.boolean().default(true),
});

const viewOf = (profile: Profile, grants: ListedGrant[], env: Env): ConnectionProfile => ({
  profile: profile.name,
  origin: profile.origin,
  methods: profile.methods,
  enabled: profile.enabled,
  requestHeaders: profile.requestHeaders,
  headerNames: profile.headerNames,
  keyAvailable: profile.sealed === null || openHeaders(profile.sealed, profile, env) !== null,
  grants: grants.map(({ profile: _, ...grant }) => grant),
});

async function profilesOf(env: Env): Promise<ConnectionProfile[]> {
  const [profiles, grants] = await Promise.all([listProfiles(env), listGrants(env)]);
  const grantsOf = Map.groupBy(grants, ({ profile }) => profile);
  return profiles.map((each) => viewOf(each, grantsOf.get(each.name) ?? [], env));
}

const viewByName = async (name: string, env: Env): Promise<ConnectionProfile> =>
  (await profilesOf(env)).find(({ profile }) => profile === name) ?? refuse("NOT_FOUND");

/** Returns the fields of a profile that are written to the audit log. The values of its protected headers are left out. */
const auditOf = (profile: Profile | undefined) =>
  profile === undefined
    ? null
    : {
        origin: profile.origin,
        methods: profile.methods,
        requestHeaders: profile.requestHeaders,
        headerNames: profile.headerNames,
        enabled: profile.enabled,
      };

/** The endpoints for profiles of Connections (docs/operating.md#connections). */
export const connections = [
  act({
    name: "connection.list",
    method: "GET",
    path: "/api/admin/connections",
    summary: "Lists the profiles of Connections by name, with the canvases to which they are granted.",
    allow: "administrator",
    response: ok(connectionProfileList),
    run: async (_call, env) => ({ body: { connections: await profilesOf(env) } }),
  }),
  act({
    name: "connection.put",
    method: "PUT",
    path: "/api/admin/connections/{profile}",
    summary: "Creates or replaces a profile.",
    details:
      "`requestHeaders` are the names of headers that pages may send besides [the usual ones](runtime.md#headers-of-the-request), such as `x-api-key`; without the field, the stored ones stay. `headers` are the protected headers, which the service adds to each request and never returns; without the field, the stored ones stay, and `{}` removes them. If the origin changes, they must be given again. 503 `CONNECTION_KEY_UNAVAILABLE` for protected headers without SERVICE_ENCRYPTION_KEY.",
    allow: "administrator",
    params: Params,
    body: json(Body),
    response: ok(connectionProfile),
    errors: ["CONNECTION_KEY_UNAVAILABLE"],
    async run({ params: { profile: name }, body }, env) {
      if (isServiceOrigin(body.origin, env.base))
        refuse("INVALID_BODY", { message: "`origin` must not be this service itself." });
      const before = auditOf(await findProfile(name, env));
      const fault = await putProfile({ name, ...body }, env);
      if (fault === "no key")
        refuse("CONNECTION_KEY_UNAVAILABLE", {
          message: "Protected headers need SERVICE_ENCRYPTION_KEY, which is not set.",
        });
      if (fault === "origin")
        refuse("INVALID_BODY", {
          message:
            "`headers` must be given again with a new `origin`: the stored ones belong to the old one.",
        });
      const view = await viewByName(name, env);
      const details = {
        before,
        after: auditOf(await findProfile(name, env)),
        headersGiven: body.headers !== undefined,
      };
      return { body: view, audit: { target: name, details } };
    },
  }),
  act({
    name: "connection.delete",
    method: "DELETE",
    path: "/api/admin/connections/{profile}",
    summary: "Deletes a profile with its grants.",
    allow: "administrator",
    response: noContent,
    async run({ params: { profile: name } }, env) {
      const before = auditOf(await findProfile(name, env));
      if (before === null || !(await deleteProfile(name, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { target: name, details: { before, after: null } } };
    },
  }),
  act({
    name: "connection.usage",
    method: "GET",
    path: "/api/admin/connections/{profile}/usage",
    summary: "Sums up the calls of a profile by day and canvas.",
    details:
      "`from` and `to` are days (UTC) such as `2026-01-31`; by default the days of the current month. Calls are kept for 90 days and appear within seconds.",
    allow: "administrator",
    params: Params,
    query: dayRange,
    response: ok(profileUsage),
    run: async ({ params: { profile }, query }, env) => ({
      body: await callsOfProfile(profile, rangeOf(query, env.clock()), env),
    }),
  }),
];

/** A path and a query as requests have them: percent-encoded, with `.` and `..` resolved. */
const target = z
  .string()
  .max(LIMITS.connectionUrlBytes.value)
  .refine((text) => {
    const url = text.startsWith("/") ? URL.parse(`https://api.example.com${text}`) : null;
    return url !== null && url.pathname + url.search === text;
  }, "must be a path such as `/v1/forecast?days=1`: percent-encoded, without `.` and `..`");

const Test = z.strictObject({ method: z.enum(["HEAD", "GET"]), path: target });

/** The endpoint with which administrators try a profile. */
export const connectionTests = [
  act({
    name: "connection.test",
    method: "POST",
    path: "/api/admin/connections/{profile}/test",
    summary: "Sends a request through a profile, and returns how it ended.",
    details:
      "It has the protected headers, and is checked and limited like that of a page, but the profile may be disabled, and its `methods` do not matter. Of the response only the status and the size are returned; `code` is the error that a page would get. The audit log records it without the query.",
    allow: "administrator",
    cost: "cheap",
    body: json(Test),
    response: ok(connectionTest),
    errors: ["CONNECTION_RATE_LIMIT", "CONNECTION_LIMIT"],
    async run({ user, params: { profile: name }, body, signal }, env) {
      const profile = (isName(name) ? await findProfile(name, env) : undefined) ?? refuse("NOT_FOUND");
      const result = await testConnection(profile, body, user.id, signal(), env);
      const details = {
        method: body.method,
        path: body.path.split("?", 1)[0],
        status: result.status,
        code: result.code,
      };
      return { body: result, audit: { target: name, details } };
    },
  }),
];

/** A path as requests have it: percent-encoded, with `.` and `..` resolved. */
const path = z
  .string()
  .max(1_000)
  .refine(
    (text) => text.startsWith("/") && URL.parse(`https://api.example.com${text}`)?.pathname === text,
    "must be a path such as `/v1/forecast`: percent-encoded, without a query, `.` and `..`",
  );

const MAX_PATHS = 50;

const Grant = z
  .strictObject({
    public: z.boolean().default(false),
    guests: z.boolean().optional(),
    limits: z
      .strictObject({
        paths: z.array(path).min(1).max(MAX_PATHS).optional(),
        methods: z
          .array(z.enum(CONNECTION_METHODS))
          .min(1)
          .refine(distinct, "must not name a method twice")
          .optional(),
        requestsPerDay: z.int().min(1).optional(),
      })
      .default({}),
  })
  .transform((given) => ({ ...given, guests: given.guests ?? given.public }))
  .refine(
    ({ public: open, guests, limits }) => open || guests || Object.keys(limits).length === 0,
    "`limits` are those of guests and visitors, whom this grant does not admit: set `public` or `guests`",
  );

/** The endpoints that grant profiles of Connections to canvases (docs/operating.md#a-profile-and-a-grant). */
export const connectionGrants = [
  act({
    name: "connection.grant",
    method: "PUT",
    path: "/api/admin/connections/{profile}/grants/{canvasId}",
    summary: "Grants a profile to a canvas.",
    details:
      "The grant admits members. `public: true` also admits visitors of a Public link, `guests: true` the guests of the canvas (by default as `public`), where the policy or the audience of the canvas includes viewers. `limits` are those of guests and visitors: the exact `paths`, the `methods`, and how many requests all of them together may send on a day (UTC), of which one caller may send half. 404 `NOT_FOUND` if there is no such profile or canvas.",
    allow: "administrator",
    body: optionalJson(Grant),
    response: noContent,
    async run({ params: { profile, canvasId }, body }, env) {
      if (!(await putGrant(profile, canvasId, body, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { canvas: canvasId, target: profile, details: body } };
    },
  }),
  act({
    name: "connection.revoke",
    method: "DELETE",
    path: "/api/admin/connections/{profile}/grants/{canvasId}",
    summary: "Ends the grant of a profile to a canvas.",
    allow: "administrator",
    response: noContent,
    async run({ params: { profile, canvasId } }, env) {
      if (!(await deleteGrant(profile, canvasId, env))) refuse("NOT_FOUND");
      return { body: undefined, audit: { canvas: canvasId, target: profile } };
    },
  }),
];
