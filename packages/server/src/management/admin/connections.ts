import type { ConnectionProfile } from "@easel/protocol/management";
import type { Env } from "../../env.ts";
import { refuse } from "../../http/refusal.ts";
import { callsOfProfile } from "../../organisation/connections/call-report.ts";
import { type ListedGrant, listGrants } from "../../organisation/connections/grants.ts";
import { isOwnOrigin } from "../../organisation/connections/origin.ts";
import {
  deleteProfile,
  findProfile,
  listProfiles,
  type Profile,
  putProfile,
} from "../../organisation/connections/profiles.ts";
import { openHeaders } from "../../organisation/connections/protected-headers.ts";
import { act } from "../act.ts";
import { json } from "../body-spec.ts";
import { dayRange, rangeOf } from "../day-range.ts";
import { noContent, ok } from "../response-spec.ts";
import { connectionProfile, connectionProfileList, profileUsage } from "../responses/connections.ts";
import { Body, Params } from "./connection-profile-body.ts";

const viewOf = (profile: Profile, grants: ListedGrant[], env: Env): ConnectionProfile => ({
  profile: profile.name,
  origin: profile.origin,
  methods: profile.methods,
  enabled: profile.enabled,
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
      "`headers` are the protected headers, which the service adds to each request and never returns; without the field, the stored ones stay, and `{}` removes them. If the origin changes, they must be given again. 503 `CONNECTION_KEY_UNAVAILABLE` for protected headers without SERVICE_ENCRYPTION_KEY.",
    allow: "administrator",
    params: Params,
    body: json(Body),
    response: ok(connectionProfile),
    errors: ["CONNECTION_KEY_UNAVAILABLE"],
    async run({ params: { profile: name }, body }, env) {
      if (isOwnOrigin(body.origin, env.base))
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
