// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const ACTS = "packages/server/src/management/apps.ts";
const ADMIN_ACTS = "packages/server/src/management/admin/apps.ts";
const LIST = "packages/server/src/identity/app-list.ts";
const APPS = "packages/server/src/identity/apps.ts";
const PEOPLE = "packages/server/src/organisation/user-details.ts";
const TOKEN_ACTS = "packages/server/src/management/tokens.ts";
const TEST = "packages/server/test/identity/apps.test.ts";
const ADMIN_TEST = "packages/server/test/management/admin-apps.test.ts";
const PAGE_TEST = "packages/server/test/identity/token-page.test.ts";

/** Faults of the lists of connected tools, of their ends, and of the tokens that people create for AI tools. */
export const connectedTools: Fault[] = [
  fault(
    "connected tools: programs list them",
    ACTS,
    'allow: "session",\n    query: longPage',
    'allow: "members",\n    query: longPage',
    TEST,
  ),
  fault(
    "connected tools: programs end them",
    ACTS,
    'allow: "session",\n    affects: "people"',
    'allow: "members",\n    affects: "people"',
    TEST,
  ),
  fault(
    "connected tools: everybody reads those of others",
    LIST,
    "where user_id = ${id} and apps.id < ${cursor}",
    "where apps.id < ${cursor}",
    TEST,
  ),
  fault(
    "connected tools: everybody ends those of others",
    LIST,
    "const ofUser = sql`user_id = ${userId}`;",
    "const ofUser = sql`user_id <> ''`;",
    TEST,
  ),
  fault(
    "connected tools: expired ones are listed",
    LIST,
    " and (apps.expires_at is null or apps.expires_at > ${clock()})",
    "",
    TEST,
  ),
  fault(
    "connected tools: one that has ended has access",
    APPS,
    "    optional(...joined([sql`delete from tokens`, those])),\n",
    "",
    TEST,
  ),
  fault(
    "connected tools: expired ones stay",
    APPS,
    "endingSteps(sql`expires_at <= ${until}`)",
    "endingSteps(sql`expires_at <= ${0 * until}`)",
    TEST,
  ),
  fault(
    "connected tools: those of a deactivated person stay",
    PEOPLE,
    "    ...endingSteps(deactivated),\n",
    "",
    TEST,
  ),
  fault(
    "connected tools: those of a person who is signed out stay",
    "packages/server/src/identity/sign-out.ts",
    "  ...endingSteps(whose),\n",
    "",
    TEST,
  ),
  fault(
    "connected tools: everybody sees those of all people",
    ADMIN_ACTS,
    'allow: "administrator",\n    query: Clients',
    'allow: "members",\n    query: Clients',
    ADMIN_TEST,
  ),
  fault(
    "connected tools: everybody ends those of a program",
    ADMIN_ACTS,
    'allow: "administrator",\n    affects: "people",\n    body: json(End)',
    'allow: "members",\n    affects: "people",\n    body: json(End)',
    ADMIN_TEST,
  ),
  fault(
    "connected tools: a token is ended as if it were a program",
    LIST,
    "client_id = ${clientId} and client_id <> id",
    "client_id = ${clientId}",
    ADMIN_TEST,
  ),
  fault(
    "connected tools: only the first ones of a program end",
    LIST,
    "if (some < AT_ONCE) return ended;",
    "return ended;",
    ADMIN_TEST,
  ),
  fault(
    "connected tools: a code from before the end of a program connects it",
    LIST,
    "  await deleteCodes(sql`client_id = ${clientId}`, env);\n",
    "",
    ADMIN_TEST,
  ),
  fault(
    "connected tools: a code from before the end of a person's tools connects one",
    LIST,
    "  if (id === null) await deleteCodes(ofUser, env);\n",
    "",
    ADMIN_TEST,
  ),
  fault(
    "connected tools: a token is for all canvases although it was limited to its own",
    TOKEN_ACTS,
    "{ ...fields, ownOnly, confirms }",
    "{ ...fields, ownOnly: false, confirms }",
    TEST,
  ),
  fault("connected tools: a token never asks", TOKEN_ACTS, "confirms = true,", "confirms = false,", TEST),
  fault(
    "connected tools: a choice for AI tools is ignored for other tokens",
    TOKEN_ACTS,
    'audience === "mcp" || (ownOnly',
    "audience !== undefined || (ownOnly",
    TEST,
  ),
  fault(
    "connected tools: one whose token was revoked stays",
    "packages/server/src/identity/tokens.ts",
    "where user_id = ${row.id} and client_id = id",
    "where user_id = ${row.id} and client_id = ''",
    TEST,
  ),
  fault(
    "connected tools: the page gives all canvases instead of own ones",
    "packages/server/src/token-page/routes.ts",
    'audience === "mcp" && choices.canvas === "made"',
    "false",
    PAGE_TEST,
  ),
  fault(
    "connected tools: the page turns questions on that were turned off",
    "packages/server/src/token-page/token-choices.ts",
    'confirms: form.has("confirms")',
    "confirms: true",
    PAGE_TEST,
  ),
  fault(
    "activity: the name of a program shows an address",
    "packages/server/src/management/activity.ts",
    'via.client.includes("@") ? null : via.client',
    "via.client",
    "packages/server/test/management/management-activity.test.ts",
  ),
  fault(
    "audit log: the name of a program is found by its beginning",
    "packages/server/src/organisation/audit-search.ts",
    "JSON.stringify({ client: name }).slice(0, -1)},`",
    "JSON.stringify({ client: name }).slice(0, -2)}`",
    "packages/server/test/management/admin-audit-search.test.ts",
  ),
];
