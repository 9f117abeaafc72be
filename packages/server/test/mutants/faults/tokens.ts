// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const RULES = "packages/server/src/access/principal.ts";
const ACTS = "packages/server/src/management/callers.ts";
const TOKENS = "packages/server/src/identity/tokens.ts";
const SCOPES_TEST = "packages/server/test/identity/token-scopes.test.ts";
const TOKENS_TEST = "packages/server/test/identity/tokens.test.ts";
const PAGE = "packages/server/src/token-page/routes.ts";
const PAGE_TEST = "packages/server/test/identity/token-page.test.ts";
const PROXY_TEST = "packages/server/test/identity/proxy-assertion.test.ts";

/** Faults of the restrictions of access tokens. */
export const tokens: Fault[] = [
  fault(
    "tokens: a deploy token uses the runtime API",
    RULES,
    'if (scope === "deploy") return "This access token can only deploy.";',
    "",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a read token writes to the runtime API",
    RULES,
    'scope === "read" && !reads',
    "false",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a token of one canvas uses the runtime API of others",
    RULES,
    "if (only !== canvasId) return",
    "if (false) return",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a token of one canvas publishes others by the authoring API",
    RULES,
    "return leavesCanvas ?",
    "return false ?",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a deploy token performs every act",
    RULES,
    'return deploys ? null : "This',
    'return true ? null : "This',
    SCOPES_TEST,
  ),
  fault(
    "tokens: a deploy token deletes canvases that were deployed",
    "packages/server/src/management/canvases.ts",
    'user.restriction?.scope !== "deploy"',
    "true",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a read token changes canvases",
    RULES,
    "return reads ? null",
    "return true ? null",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a deploy token administers the instance by GET",
    ACTS,
    'reads && allow !== "administrator"',
    "reads",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a token of one canvas manages others",
    ACTS,
    "if (params.id !== restriction.canvasId)",
    "if (false)",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a token of one canvas performs acts without a canvas",
    ACTS,
    "if (!CANVAS_PATH.test(act.path))",
    "if (false)",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a deploy token sets every field",
    "packages/server/src/management/act.ts",
    "requireFields(caller, given, value);",
    "",
    SCOPES_TEST,
  ),
  fault(
    "tokens: the lists of a token of one canvas have all canvases",
    "packages/server/src/canvases/lists.ts",
    "if (only !== null)",
    "if (false)",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a read token opens WebSockets and calls AI",
    "packages/server/src/primitives/mount.ts",
    "reads: readable && ",
    "reads: ",
    SCOPES_TEST,
  ),
  fault(
    "tokens: a restricted token is accepted where a request does not say what it does",
    "packages/server/src/pipeline/resolve.ts",
    'if (use === undefined) refuse("PERMISSION_DENIED");',
    "if (use === undefined) return;",
    SCOPES_TEST,
  ),
  fault("tokens: an unknown scope is valid", TOKENS, " || !isScope(row.scope)", "", SCOPES_TEST),
  fault(
    "tokens: a restricted token has the secret of an unrestricted one",
    TOKENS,
    '(restrictionOf(scope, canvasId) === null ? "" : RESTRICTED)',
    '""',
    TOKENS_TEST,
  ),
  fault(
    "tokens: anyone makes tokens of any canvas",
    TOKENS,
    "and deleted_at is null\n      and (owner_id = ${user.id} or id in (select canvas_id from grants where email = ${user.email})))",
    "and deleted_at is null)",
    TOKENS_TEST,
  ),
  fault(
    "tokens: the list names canvases on which the user has no role",
    TOKENS,
    "canvases.id = tokens.canvas_id and deleted_at is null\n      and (owner_id = ${user.id} or canvases.id in (select canvas_id from grants where email = ${user.email}))",
    "canvases.id = tokens.canvas_id",
    TOKENS_TEST,
  ),
  fault(
    "tokens: scripts of the same origin read the page with a new token",
    PAGE,
    'if (destination === "frame" || destination === "part")',
    "if (false)",
    PAGE_TEST,
  ),
  fault(
    "tokens: the page accepts access tokens",
    "packages/server/src/management/mount.ts",
    'tokens: page ? undefined : "api"',
    'tokens: "api"',
    PAGE_TEST,
  ),
  fault(
    "tokens: the page is open to guests",
    PAGE,
    "{ guests: false, page: true }",
    "{ guests: true, page: true }",
    PAGE_TEST,
  ),
  fault(
    "tokens: the page offers canvases that the person only views",
    "packages/server/src/token-page/offered-canvases.ts",
    " and role = 'editor'",
    "",
    TOKENS_TEST,
  ),
  fault(
    "tokens: created where none are accepted",
    "packages/server/src/management/tokens.ts",
    "if (!acceptsTokens(env.config))",
    "if (false)",
    PROXY_TEST,
  ),
  fault(
    "tokens: expired tokens count as tokens that a person has",
    "packages/server/src/identity/tokens.ts",
    "and (expires_at is null or expires_at > ${now})) <",
    "and ${now} > 0) <",
    "packages/server/test/identity/ceilings.test.ts",
  ),
];
