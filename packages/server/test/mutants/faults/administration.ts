// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const SIGN_OUT = "packages/server/src/identity/sign-out.ts";
const USERS = "packages/server/src/organisation/user-details.ts";
const HANDOVER = "packages/server/src/organisation/handover.ts";
const OWNERSHIP = "packages/server/src/canvases/ownership.ts";
const TEST_CALL = "packages/server/src/primitives/connections/test-call.ts";
const OF_TEST_CALLS = "packages/server/test/management/admin-connection-test.test.ts";
const OF_SHOWN = "packages/server/src/config/shown-settings.test.ts";
const OF_INSTANCE = "packages/server/test/management/admin-instance.test.ts";
const ORGS = "packages/server/src/organisation/orgs.ts";
const OF_ORGS = "packages/server/test/management/admin-orgs-preview.test.ts";
const OF_SEARCH = "packages/server/test/management/admin-audit-search.test.ts";
const OF_HANDOVER = "packages/server/test/management/admin-handover.test.ts";

/** Faults of what administrators do. */
export const administration: Fault[] = [
  fault(
    "administration: a domain of another organisation is taken without being asked",
    ORGS,
    "      take\n        ? sql`insert",
    "      take || id !== ''\n        ? sql`insert",
    OF_ORGS,
  ),
  fault(
    "administration: the preview of an organisation counts deactivated people",
    ORGS,
    "from users where deactivated_at is null and id in",
    "from users where id in",
    OF_ORGS,
  ),
  fault(
    "administration: administrators who deactivate each other leave nobody",
    USERS,
    "\n      and exists (select 1 from users as administrators where id = ${by} and deactivated_at is null)",
    "",
    OF_HANDOVER,
  ),
  fault(
    "administration: the statement lets administrators deactivate themselves",
    USERS,
    " and id <> ${by}\n",
    "\n",
    OF_HANDOVER,
  ),
  fault(
    "administration: a person who still owns canvases is deactivated",
    USERS,
    "\n      and not exists (select 1 from canvases where owner_id = ${id} and deleted_at is null)",
    "",
    OF_HANDOVER,
  ),
  fault(
    "administration: a person is deactivated although canvases are left",
    HANDOVER,
    "deactivate &&\n    left.length === 0 &&",
    "deactivate &&",
    OF_HANDOVER,
  ),
  fault(
    "administration: signing out leaves the tokens",
    SIGN_OUT,
    "  optional(...joined([sql`delete from tokens where`, whose])),\n",
    "",
    OF_HANDOVER,
  ),
  fault(
    "administration: a person who signs out gets a token for an open code",
    SIGN_OUT,
    "  optional(...joined([sql`delete from oauth_codes where token_id is null and`, whose])),\n",
    "",
    OF_HANDOVER,
  ),
  fault(
    "administration: a canvas of somebody else is handed over",
    OWNERSHIP,
    "where id = ${id} and owner_id = ${owner.id} and deleted_at is null\n        and exists (select 1 from users\n          where users.email = ${email} and users.id <> owner_id and deactivated_at is null)`,",
    "where id = ${id} and deleted_at is null\n        and exists (select 1 from users\n          where users.email = ${email} and users.id <> owner_id and deactivated_at is null)`,",
    OF_HANDOVER,
  ),
  fault(
    "administration: a person who leaves stays an editor",
    HANDOVER,
    'const keeps = deactivate ? null : "editor";',
    'const keeps = "editor";',
    OF_HANDOVER,
  ),
  fault(
    "administration: test calls have no limit",
    TEST_CALL,
    "  await takeRates(call, {}, env);\n",
    "",
    OF_TEST_CALLS,
  ),
  fault(
    "administration: a test call reaches the service itself",
    TEST_CALL,
    '  if (isServiceOrigin(origin, env.base)) refuse("DESTINATION_BLOCKED");\n',
    "",
    OF_TEST_CALLS,
  ),
  fault(
    "administration: the audit log has the query of a test call",
    "packages/server/src/management/admin/connections.ts",
    'path: body.path.split("?", 1)[0],',
    "path: body.path,",
    OF_TEST_CALLS,
  ),
  fault(
    "administration: secrets of the settings are shown",
    "packages/server/src/config/config.ts",
    "  if (secret === true) return MASK;\n",
    "",
    OF_SHOWN,
  ),
  fault(
    "administration: the password in an address is shown",
    "packages/server/src/config/config.ts",
    '  address.password = "";\n',
    "",
    OF_SHOWN,
  ),
  fault(
    "administration: the query of an address is shown",
    "packages/server/src/config/config.ts",
    '  if (address.search !== "") address.search = MASK;\n',
    "",
    OF_SHOWN,
  ),
  fault(
    "administration: the reason of a driver is told",
    "packages/server/src/organisation/instance-health.ts",
    "if (error instanceof Unhealthy) return error.message;",
    "if (error instanceof Error) return error.message;",
    OF_INSTANCE,
  ),
  fault(
    "administration: Public links that the deployment switches off count as on",
    "packages/server/src/organisation/instance-settings.ts",
    "publicLinks: settings.publicLinks && config.publicLinks",
    "publicLinks: settings.publicLinks",
    "packages/server/test/management/admin-settings.test.ts",
  ),
  fault(
    "administration: formulas reach programs for tables",
    "packages/server/src/http/csv.ts",
    'guardCell(value ?? "")',
    'value ?? ""',
    "packages/server/src/http/csv.test.ts",
  ),
  fault(
    "administration: a search ignores all filters but one",
    "packages/server/src/organisation/audit-search.ts",
    "const others = [...more, ...othersOf(filter)];",
    "const others = [...more.slice(0, 0), ...othersOf(filter)];",
    OF_SEARCH,
  ),
  fault(
    "administration: a search ends after its first slices",
    "packages/server/src/organisation/audit-search.ts",
    "  return { entries, nextCursor: before };",
    "  return { entries, nextCursor: null };",
    OF_SEARCH,
  ),
  fault(
    "administration: an export of the audit log leaves no entry",
    "packages/server/src/management/admin/reports.ts",
    "    audited: true,\n",
    "",
    OF_SEARCH,
  ),
  fault(
    "administration: a search in the audit log holds the event loop",
    "packages/server/src/organisation/audit-search.ts",
    "    // SQLite reads within the turn: other requests come in between.\n    await nextTurn();\n",
    "",
    OF_SEARCH,
  ),
  fault(
    "administration: counting who is near a quota holds the event loop",
    "packages/server/src/organisation/attention.ts",
    "    await nextTurn();\n",
    "",
    OF_INSTANCE,
  ),
];
