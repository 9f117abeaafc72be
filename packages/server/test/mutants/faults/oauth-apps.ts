// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const OAUTH = "packages/server/src/oauth";
const REQUEST = `${OAUTH}/authorization-request.ts`;
const RESOURCE = `${OAUTH}/resource.ts`;
const AUTHORIZE = `${OAUTH}/authorize.ts`;
const RIGHTS = `${OAUTH}/apps/app-rights.ts`;
const PAGE = `${OAUTH}/apps/consent-page.ts`;
const CODES = `${OAUTH}/apps/app-codes.ts`;
const REDEEM = `${OAUTH}/apps/redeem-code.ts`;
const REFRESH = `${OAUTH}/apps/refresh.ts`;
const ANSWER = `${OAUTH}/apps/access-answer.ts`;
const REFRESH_TOKENS = `${OAUTH}/apps/refresh-tokens.ts`;
const PROGRAM = `${OAUTH}/program-endpoint.ts`;
const METADATA = `${OAUTH}/metadata.ts`;
const APPS = "packages/server/src/identity/apps.ts";
const FLOW = "packages/server/test/sign-in/oauth-apps.test.ts";
const CONSENT = "packages/server/test/sign-in/oauth-app-consent.test.ts";
const BROWSER = "packages/server/test/sign-in/oauth-app-browser.test.ts";
const DESCRIBED = "packages/server/test/sign-in/oauth-metadata.test.ts";

/** Faults of how programs get and keep access to the tools. */
export const oauthApps: Fault[] = [
  fault("programs: any resource", RESOURCE, "if (!named.every(", "if (false && !named.every(", CONSENT),
  fault(
    "programs: a code is exchanged for any resource",
    REDEEM,
    'requireResource(form.get("resource")?.split(" ") ?? [], env.base);',
    "",
    FLOW,
  ),
  fault(
    "programs: a refresh token is exchanged for any resource",
    REFRESH,
    'requireResource(form.get("resource")?.split(" ") ?? [], env.base);',
    "",
    FLOW,
  ),
  fault(
    "programs: only one of several resources is checked",
    REQUEST,
    "[query.resource ?? []].flat()",
    "[query.resource ?? []].flat().slice(0, 1)",
    CONSENT,
  ),
  fault(
    "programs: a program without a scope gets everything",
    REQUEST,
    "?? FIRST_SCOPE;",
    '?? "full";',
    CONSENT,
  ),
  fault(
    "programs: anonymous callers learn about programs",
    AUTHORIZE,
    'const user = await requirePerson(request, reply, "page", env);\n    const asked = await readAuthorizationRequest(\n      request.query as Query,\n      { ip: request.ip, person: user.id },\n      env,\n    );',
    'const asked = await readAuthorizationRequest(\n      request.query as Query,\n      { ip: request.ip, person: "" },\n      env,\n    );\n    const user = await requirePerson(request, reply, "page", env);',
    CONSENT,
  ),
  fault(
    "programs: the form allows more than was asked",
    RIGHTS,
    "TOKEN_SCOPES.slice(TOKEN_SCOPES.indexOf(scope))",
    "TOKEN_SCOPES.slice(TOKEN_SCOPES.indexOf(scope) * 0)",
    CONSENT,
  ),
  fault(
    "programs: a form without a choice of canvases allows all",
    RIGHTS,
    "scope === undefined || canvases === undefined",
    "scope === undefined",
    CONSENT,
  ),
  fault(
    "programs: the canvas of somebody else",
    RIGHTS,
    "return found === undefined ? null : { ...rights, canvasId: found.id };",
    "return { ...rights, canvasId: found?.id ?? canvas };",
    CONSENT,
  ),
  fault(
    "programs: only own canvases means all",
    RIGHTS,
    'ownOnly: canvases === "made"',
    "ownOnly: false",
    CONSENT,
  ),
  fault(
    "programs: clients of before 2026 get a second 403 without its reason",
    "packages/server/src/identity/apps.ts",
    "tokens.created_at > apps.created_at and",
    "tokens.created_at < apps.created_at and",
    "packages/server/test/mcp/official-sign-in.test.ts",
  ),
  fault(
    "programs: clients that can ask for more are not told to",
    "packages/server/src/identity/apps.ts",
    "tokens.created_at > apps.created_at and",
    "",
    "packages/server/test/mcp/official-sign-in.test.ts",
  ),
  fault("programs: the person is never asked", RIGHTS, 'form.has("confirms")', "false", CONSENT),
  fault("programs: the person is always asked", RIGHTS, 'form.has("confirms")', "true", CONSENT),
  fault(
    "programs: nobody says that a name is not verified",
    PAGE,
    'if (kind === "registered")',
    'if (kind === "builtin")',
    CONSENT,
  ),
  fault(
    "programs: the form may not lead to web servers",
    PAGE,
    "formsLeadTo: formTarget(redirectUri),",
    "",
    BROWSER,
  ),
  fault(
    "programs: an application that cannot be opened leaves the person alone",
    `${OAUTH}/way-back.ts`,
    'if (redirectKind(way.redirectUri) !== "private")',
    'if (way.redirectUri !== "")',
    CONSENT,
  ),
  fault(
    "programs: a person has no room",
    AUTHORIZE,
    "await requireRoom(asked, user, env);\n    if (!isOfApp(asked)) return sendCliConsent",
    "if (!isOfApp(asked)) return sendCliConsent",
    CONSENT,
  ),
  fault(
    "programs: any number of connected tools",
    APPS,
    "(select count(*) from apps where user_id = ${userId}) < ${LIMITS.appsPerPerson.value}",
    "1 = 1",
    CONSENT,
  ),
  fault(
    "programs: a code has no end",
    REDEEM,
    "and app_id is null and expires_at > ${now}`",
    "and app_id is null`",
    FLOW,
  ),
  fault(
    "programs: a code connects several tools",
    REDEEM,
    "and app_id is null and expires_at > ${now}`",
    "and expires_at > ${now}`",
    FLOW,
  ),
  fault(
    "programs: a code that is used twice keeps its tool",
    REDEEM,
    'await endApp({ ...code, app_id: used?.app_id ?? null }, "code used twice", address, env);',
    "",
    FLOW,
  ),
  fault(
    "programs: an intercepted code works without its verifier",
    REDEEM,
    "code?.challenge === tokenHash(verifier) &&",
    "code !== undefined &&",
    FLOW,
  ),
  fault(
    "programs: a code works for every client",
    REDEEM,
    'code.client_id === form.get("client_id") &&',
    "",
    FLOW,
  ),
  fault(
    "programs: a code works for every redirect URI",
    REDEEM,
    'code.redirect_uri === (form.get("redirect_uri") ?? code.redirect_uri)',
    "true",
    FLOW,
  ),
  fault(
    "programs: a deactivated person gets a tool",
    REDEEM,
    " and deactivated_at is null`),\n    sql`update app_codes",
    "`),\n    sql`update app_codes",
    FLOW,
  ),
  fault(
    "programs: the canvas is not checked when a code is exchanged",
    APPS,
    "where cast(${canvasId} as text) is null or exists",
    "where 1 = 1 or exists",
    CONSENT,
  ),
  fault(
    "programs: a tool that has ended gets new access",
    "packages/server/src/identity/tokens.ts",
    "from apps where id = ${appId} and (expires_at is null or expires_at > ${clock()})`;",
    "from apps where id = ${appId}`;",
    FLOW,
  ),
  fault("programs: access for a day", ANSWER, "now + HOUR_MS", "now + 24 * HOUR_MS", FLOW),
  fault(
    "programs: access outlives the tool",
    ANSWER,
    "Math.min(now + HOUR_MS, app.endsAt)",
    "now + HOUR_MS",
    FLOW,
  ),
  fault(
    "programs: a refresh token works for every client",
    REFRESH,
    'stored.client_id !== form.get("client_id") ||',
    "",
    FLOW,
  ),
  fault("programs: refresh tokens have no end", REFRESH, " || stored.expires_at <= now", "", FLOW),
  fault(
    "programs: a deactivated person's tool is refreshed",
    REFRESH,
    " and deactivated_at is null`",
    "`",
    FLOW,
  ),
  fault(
    "programs: a spent refresh token that is used again is only refused",
    REFRESH,
    'if (outcome === "spent")',
    'if (outcome === "inactive")',
    FLOW,
  ),
  fault(
    "programs: spent refresh tokens work",
    REFRESH,
    "(spent_at is null or (spent_at > ${now - LOST_ANSWER_MS} and exists (",
    "(spent_at is null or (spent_at > ${now - LOST_ANSWER_MS} or exists (",
    FLOW,
  ),
  fault(
    "programs: a lost response can be asked for at any time",
    REFRESH,
    "spent_at > ${now - LOST_ANSWER_MS} and",
    "",
    FLOW,
  ),
  fault(
    "programs: a refresh token whose successor was used works",
    REFRESH,
    " and tokens.used_at is null",
    "",
    FLOW,
  ),
  fault(
    "programs: the successor of a lost response lives on",
    REFRESH,
    "optional`update app_refresh_tokens set spent_at = ${now} where app_id = ${id} and spent_at is null`,",
    "",
    FLOW,
  ),
  fault(
    "programs: the access of a lost response lives on",
    REFRESH,
    "optional`delete from tokens where app_id = ${id} and id <> ${token_id}`,",
    "",
    FLOW,
  ),
  fault(
    "programs: a revoked refresh token does not end the tool",
    REFRESH_TOKENS,
    'await endApp(found, "revoked by the program", address, env);',
    "",
    FLOW,
  ),
  fault(
    "programs: one ends the connected tool of another by its refresh token",
    REFRESH_TOKENS,
    "if (found.client_id !== clientId)",
    "if (false)",
    FLOW,
  ),
  fault(
    "programs: one ends the access token of another",
    "packages/server/src/oauth/revocation.ts",
    "owner !== null && owner !== clientId",
    "false",
    FLOW,
  ),
  fault(
    "programs: a person who was signed out gets a tool for an open code",
    "packages/server/src/identity/sign-out.ts",
    "  optional(...joined([sql`delete from app_codes where app_id is null and`, whose])),\n",
    "",
    FLOW,
  ),
  fault(
    "programs: idle tools stay",
    APPS,
    "await db.withReserve.batch(endingSteps(sql`id in (select key from json_each(${ids}))`));",
    "void ids;",
    FLOW,
  ),
  fault(
    "programs: expired access tokens stay",
    APPS,
    "delete from tokens where app_id is not null and expires_at <= ${until}",
    "delete from tokens where app_id is not null and expires_at <= ${until} and 1 = 0",
    FLOW,
  ),
  fault("programs: a person has any number of codes", CODES, "< ${MAX_CODES}", "< 1000000", CONSENT),
  fault(
    "programs: two names of a client",
    PROGRAM,
    "clientId === undefined || (named ?? clientId) !== clientId",
    "clientId === undefined",
    CONSENT,
  ),
  fault(
    "programs: the challenge of the tools leads nowhere",
    RESOURCE,
    'resource_metadata="${origin}${RESOURCE_PATHS[0]}"',
    'resource_metadata="${origin}/.well-known/resource"',
    DESCRIBED,
  ),
  fault(
    "programs: pages of other origins cannot read the descriptions",
    METADATA,
    '"access-control-allow-origin": "*", ',
    "",
    DESCRIBED,
  ),
];
