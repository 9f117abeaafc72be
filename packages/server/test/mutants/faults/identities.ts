// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const SERVER = "packages/server/src";
const CLAIMS = `${SERVER}/sign-in/oidc-claims.ts`;
const CLAIMS_TEST = `${SERVER}/sign-in/oidc-claims.test.ts`;
const LOGOUT = `${SERVER}/sign-in/back-channel-logout.ts`;
const LOGOUT_TEST = "packages/server/test/sign-in/oidc-logout.test.ts";
const IDENTITIES = `${SERVER}/identity/identities.ts`;
const RENAMING = `${SERVER}/identity/renaming.ts`;
const IDENTITIES_TEST = "packages/server/test/identity/identities.test.ts";
const PROXY_TEST = "packages/server/test/identity/proxy-assertion.test.ts";
const CONFIG = `${SERVER}/config/config.ts`;
const CONFIG_TEST = `${SERVER}/config/config.test.ts`;
const TEAMS = `${SERVER}/organisation/teams.ts`;

/** Deliberate mistakes in the code that decides who somebody is, and when they are not any more. */
export const identities: Fault[] = [
  fault(
    "identities: Entra's refusal to vouch for an address does not count",
    CLAIMS,
    "OWNER_VERIFIED.includes(owner)",
    "true",
    CLAIMS_TEST,
  ),
  fault(
    "identities: an address that is called unverified is accepted",
    CLAIMS,
    'if (says === "no")',
    "if (false)",
    CLAIMS_TEST,
  ),
  fault(
    "identities: any authentication context will do",
    CLAIMS,
    "oidcAcrValues !== null &&",
    "false &&",
    CLAIMS_TEST,
  ),
  fault(
    "identities: an old sign-in will do",
    CLAIMS,
    "at + oidcMaxAge + TOLERANCE_S < now / 1000",
    "false",
    CLAIMS_TEST,
  ),
  fault(
    "identities: groups that are not sent let everybody in",
    CLAIMS,
    "if (allowed.length === 0) return null;",
    "return null;",
    CLAIMS_TEST,
  ),
  fault(
    "identities: unverified addresses of all tenants of Entra",
    CONFIG,
    "isOpenEntra(read.oidcIssuer),",
    "false,",
    CONFIG_TEST,
  ),
  fault(
    "identities: a person who gets the address of an administrator is one",
    IDENTITIES,
    'const listedAs = isOthers ? "" : former;',
    "const listedAs = former;",
    IDENTITIES_TEST,
  ),
  fault(
    "identities: groups that are not told make administrators",
    IDENTITIES,
    "groups === null && row.admin_group === 1",
    "false",
    IDENTITIES_TEST,
  ),
  fault(
    "identities: a former address keeps its roles",
    RENAMING,
    "sql`delete from canvas_people where email = ${email}`,",
    "sql`delete from canvas_people where false`,",
    IDENTITIES_TEST,
  ),
  fault(
    "identities: a former address stays in its teams",
    RENAMING,
    "sql`delete from team_members where email = ${email}`,",
    "sql`delete from team_members where false`,",
    IDENTITIES_TEST,
  ),
  fault(
    "identities: a signed token without an allowed group counts",
    `${SERVER}/identity/assertion.ts`,
    "oidcAllowedGroups.length > 0 &&",
    "false &&",
    PROXY_TEST,
  ),
  fault(
    "identities: a person who leaves the groups keeps their access",
    `${SERVER}/sign-in/oidc.ts`,
    '["not_allowed", "not_in_group"]',
    "[]",
    "packages/server/test/sign-in/oidc-logout.test.ts",
  ),
  fault(
    "teams: anybody reads the members of any group",
    TEAMS,
    "by === null ? sql`1 = 1` : isInGroup(by, group)",
    "sql`1 = 1`",
    IDENTITIES_TEST,
  ),
  fault(
    "teams: members of a group are changed here",
    TEAMS,
    "where id = ${id} and external_group is null`",
    "where id = ${id}`",
    IDENTITIES_TEST,
  ),
  fault("logouts: any type of token", LOGOUT, '    typ: "logout+jwt",\n', "", LOGOUT_TEST),
  fault(
    "logouts: a token without the event",
    LOGOUT,
    'if (typeof event !== "object" || event === null)',
    "if (false)",
    LOGOUT_TEST,
  ),
  fault("logouts: a token with a nonce", LOGOUT, 'if ("nonce" in claims)', "if (false)", LOGOUT_TEST),
  fault("logouts: an old token", LOGOUT, "iat < now - MAX_AGE_S ||", "", LOGOUT_TEST),
  fault("logouts: a token counts again", LOGOUT, 'if (outcome === "used")', "if (false)", LOGOUT_TEST),
  fault(
    "logouts: the session of somebody else ends",
    LOGOUT,
    "if (subject !== null)\n    conditions",
    "if (sid === null && subject !== null)\n    conditions",
    LOGOUT_TEST,
  ),
  fault(
    "sessions: no absolute end",
    `${SERVER}/identity/session.ts`,
    "const until = Math.min(row.expires_at, endOf(row, env));",
    "const until = row.expires_at;",
    LOGOUT_TEST,
  ),
  fault(
    "tokens: one that does not count is led to the sign-in",
    `${SERVER}/sign-in/challenge.ts`,
    'if (config.authMode === "oidc" && sendsToken(request))',
    "if (false)",
    LOGOUT_TEST,
  ),
];
