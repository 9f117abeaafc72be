// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const COLLECTED = "packages/server/src/async/call-log.ts";
const STORE = "packages/server/src/canvases/call-log-store.ts";
const PAGES = "packages/server/src/primitives/page-errors/operations.ts";
const CALLS = "packages/server/src/primitives/logged-calls.ts";

const UNITS = "packages/server/src/async/call-log.test.ts";
const STORED = "packages/server/test/canvases/call-log-store.test.ts";
const REPORTED = "packages/server/test/primitives/page-errors/page-errors.test.ts";
const LOGGED = "packages/server/test/primitives/logged-calls.test.ts";

/** Faults of the log of refused and failed calls. */
export const callLog: Fault[] = [
  fault("call log: keys of single users are logged", CALLS, " || pattern.startsWith(USER_SCOPE)", "", LOGGED),
  fault(
    "call log: strangers use up the budget of people with a role",
    CALLS,
    '? "insider" : "outsider"',
    '? "insider" : "insider"',
    STORED,
  ),
  fault(
    "call log: during an outage, strangers leave no room for others",
    COLLECTED,
    "|| this.#waiting[budget] >= MAX_WAITING",
    "|| this.#waiting.outsider + this.#waiting.insider >= MAX_WAITING",
    UNITS,
  ),
  fault("call log: ids are logged", CALLS, " || !SHOWN.has(name)", "", LOGGED),
  fault(
    "call log: visitors are logged with their address",
    CALLS,
    "userId: user?.id ?? null",
    "userId: user?.id ?? request.ip",
    LOGGED,
  ),
  fault("call log: calls to deleted canvases are logged", CALLS, " || canvas.deletedAt !== null", "", LOGGED),
  fault(
    "call log: callers without a session leave no entry",
    "packages/server/src/pipeline/authenticate.ts",
    "  visit.canvas = canvas;\n",
    "",
    LOGGED,
  ),
  fault(
    "call log: a hostile page fills the log",
    COLLECTED,
    "logged >= PER_MINUTE[budget] || ",
    "",
    UNITS,
    STORED,
  ),
  fault(
    "call log: errors of pages push out the calls of people",
    STORE,
    "outsider: 1, page: 2",
    "outsider: 1, page: 0",
    STORED,
  ),
  fault(
    "call log: the errors of one person's pages use up the budget of all",
    COLLECTED,
    "`page ${call.userId}`",
    '"page"',
    UNITS,
  ),
  fault(
    "page errors: viewers report them",
    PAGES,
    'if (!manages(role)) refuse("PERMISSION_DENIED");',
    "return role;",
    REPORTED,
  ),
  fault(
    "page errors: the page says who reports",
    PAGES,
    "may({ role }) {\n        if (!manages(role))",
    'may({ role }, { message: { headers } }) {\n        if (!manages(role) && headers["x-easel-role"] !== "owner")',
    REPORTED,
  ),
  fault(
    "page errors: a token that may only read reports them",
    "packages/server/src/access/principal.ts",
    "!(reportsErrors && reports)",
    "!reportsErrors",
    REPORTED,
  ),
  fault(
    "page errors: the session of a preview reports none",
    "packages/server/src/identity/previews.ts",
    ", reportsErrors: true",
    "",
    REPORTED,
  ),
  fault(
    "page errors: the session of a preview writes",
    "packages/server/src/access/principal.ts",
    "!(reportsErrors && reports)",
    "!reports",
    REPORTED,
  ),
  fault("page errors: they count as calls", PAGES, '            "page",', '            "insider",', REPORTED),
  fault("page errors: texts are kept whole", PAGES, "LIMITS.pageErrorLength.value)", "1e6)", REPORTED),
  fault(
    "page errors: pages of viewers are asked for them",
    "packages/server/src/content/serve.ts",
    "manages(role) && env.config.callLog",
    "env.config.callLog",
    REPORTED,
  ),
  fault(
    "call log: a write resets the limit a minute",
    COLLECTED,
    "if (own.minute < minute) this.#canvases.delete(canvasId);\n      else [own.calls, own.dropped] = [[], 0];",
    "this.#canvases.delete(canvasId);",
    UNITS,
  ),
  fault(
    "call log: an outage fills the memory",
    COLLECTED,
    " || this.#waiting[budget] >= MAX_WAITING",
    "",
    UNITS,
  ),
  fault(
    "call log: entries are numbered by the time of the call",
    STORE,
    "select canvas_id, last - ${some.length - 1 - index}, ${at}",
    "select canvas_id, ${at} - ${some.length - 1 - index}, ${at}",
    STORED,
  ),
  fault(
    "call log: old entries stay",
    STORE,
    "order by number desc limit 1 offset ${KEPT[budget]}",
    "order by number limit 0",
    STORED,
  ),
  fault(
    "call log: a read does not write first",
    "packages/server/src/management/capabilities.ts",
    "      await writeCallLog(env);\n",
    "",
    STORED,
  ),
  fault(
    "call log: viewers read it",
    "packages/server/src/management/capabilities.ts",
    'allow: "editor",\n    query: Query',
    'allow: "viewer",\n    query: Query',
    STORED,
  ),
  fault(
    "call log: entries are lost at shutdown",
    "packages/server/src/service.ts",
    "        stopCallLog(),\n",
    "",
    STORED,
  ),
  fault(
    "call log: the setting does not turn it off",
    "packages/server/src/new-env.ts",
    "new CallLog(config.callLog)",
    "new CallLog(true)",
    STORED,
  ),
  fault(
    "call log: a purge leaves it",
    "packages/server/src/stored-data.ts",
    "  callLogData,\n",
    "",
    "packages/server/test/canvases/purge.test.ts",
  ),
  fault(
    "call log: error responses of upstreams leave no entry",
    "packages/server/src/primitives/mount.ts",
    "(answer.status ?? 200) >= 400",
    "(answer.status ?? 200) >= 600",
    LOGGED,
  ),
];
