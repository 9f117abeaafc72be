// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const OAUTH = "packages/server/src/oauth";
const REQUEST = `${OAUTH}/authorization-request.ts`;
const TICKETS = "packages/server/src/crypto/tickets.ts";
const CODES = `${OAUTH}/oauth-codes.ts`;
const ENDPOINT = `${OAUTH}/token-endpoint.ts`;
const CLI = `${OAUTH}/cli-tokens.ts`;
const TEST = "packages/server/test/sign-in/oauth.test.ts";
const HOSTILE_REQUEST = "packages/server/test/sign-in/oauth-request-hostile.test.ts";
const FORGED_ANSWER = "packages/server/test/sign-in/oauth-answer-forged.test.ts";
const HOSTILE_PROGRAM = "packages/server/test/sign-in/oauth-program-hostile.test.ts";
const PROGRAM = `${OAUTH}/program-endpoint.ts`;
const ANSWERED = `${OAUTH}/answered-form.ts`;
const LATE = "packages/server/test/sign-in/late-forms.test.ts";
const LIMITS = "packages/server/test/sign-in/sign-in-limits.test.ts";

/** Faults of the sign-in of the command line. */
export const oauth: Fault[] = [
  fault(
    "oauth: a redirect URI leads anywhere",
    REQUEST,
    "!client.matches(redirectUri)",
    "false",
    HOSTILE_REQUEST,
  ),
  fault(
    "oauth: a redirect URI of the command line leads anywhere",
    `${OAUTH}/clients/command-line.ts`,
    "LOOPBACK_URI.test(uri) &&",
    "",
    HOSTILE_REQUEST,
  ),
  fault(
    "oauth: a redirect URI of the command line leads to the service itself",
    `${OAUTH}/clients/command-line.ts`,
    " && !leadsToService(uri, base)",
    "",
    HOSTILE_REQUEST,
  ),
  fault("oauth: no PKCE challenge", REQUEST, "!CHALLENGE.test(challenge) ||", "", HOSTILE_REQUEST),
  fault(
    "oauth: plain PKCE challenges",
    REQUEST,
    ' || param("code_challenge_method") !== "S256"',
    "",
    HOSTILE_REQUEST,
  ),
  fault("oauth: repeated parameters", REQUEST, "if (repeated !== undefined)", "if (false)", HOSTILE_REQUEST),
  fault("oauth: responses do not name their issuer", `${OAUTH}/way-back.ts`, ", iss: origin", "", TEST),
  fault("oauth: a code has no end", CLI, " and expires_at > ${now}", "", TEST),
  fault("oauth: a code gives several tokens", CLI, "and token_id is null and", "and", TEST),
  fault(
    "oauth: a code that is used twice keeps its token",
    CLI,
    "await endTokenOf(stored, address, env);",
    "",
    TEST,
  ),
  fault("oauth: a deactivated person gets a token", CLI, " and deactivated_at is null", "", TEST),
  fault(
    "oauth: any verifier redeems a code",
    CLI,
    "stored?.challenge === tokenHash(verifier) &&",
    "stored !== undefined &&",
    TEST,
  ),
  fault(
    "oauth: a code works for any redirect URI",
    CLI,
    'stored.redirect_uri === (form.get("redirect_uri") ?? "")',
    "true",
    TEST,
  ),
  fault(
    "oauth: an authorization code passes as a device code",
    CLI,
    " || stored.user_code === null",
    "",
    TEST,
  ),
  fault(
    "oauth: the code of a device is stored in clear",
    CODES,
    'signer.sign("user-code", code)',
    "signer && code",
    TEST,
  ),
  fault(
    "oauth: the requests of programs have no limit",
    ENDPOINT,
    "POLLS_FACTOR = 12",
    "POLLS_FACTOR = 1_000",
    LIMITS,
  ),
  fault(
    "oauth: any client has devices",
    PROGRAM,
    'form.get("client_id") !== CLIENT_ID',
    "false",
    HOSTILE_PROGRAM,
  ),
  fault("oauth: a denied device gets a token", `${OAUTH}/oauth-codes.ts`, "denied === 1", "false", TEST),
  fault(
    "oauth: a device asks as often as it likes",
    `${OAUTH}/oauth-codes.ts`,
    "polled_at !== null &&",
    "false &&",
    TEST,
  ),
  fault(
    "oauth: how often a device asks is measured by the clock of each node",
    `${OAUTH}/oauth-codes.ts`,
    "const now = await recordPoll(stored, env);",
    "await recordPoll(stored, env);\n  const now = env.clock();",
    TEST,
  ),
  fault(
    "oauth: a device waits for ever",
    CODES,
    "and denied = 0 and expires_at > ${env.clock()}`;\n\n",
    "and denied = 0`;\n\n",
    TEST,
  ),
  fault(
    "oauth: the last answer to a device counts",
    CODES,
    "where user_code = ${userCodeHash(userCode, env)} and user_id is null and denied = 0 and expires_at > ${env.clock()}`;\n  return",
    "where user_code = ${userCodeHash(userCode, env)}`;\n  return",
    TEST,
  ),
  fault(
    "oauth: pages call the endpoints of programs",
    PROGRAM,
    "requireSameOrigin(request.headers, env.base);",
    "",
    HOSTILE_PROGRAM,
  ),
  fault(
    "oauth: programs use up the attempts to sign in",
    PROGRAM,
    'rateClass: "program", owner: networkOf(request.ip), part: path',
    'rateClass: "login", owner: networkOf(request.ip)',
    LIMITS,
  ),
  fault(
    "oauth: expired codes of devices count",
    CODES,
    "where network = ${network} and expires_at > ${clock()}",
    "where network = ${network}",
    TEST,
  ),
  fault(
    "oauth: one network uses up the codes of all",
    CODES,
    "where network = ${network} and",
    "where network is not null and",
    TEST,
  ),
  fault("oauth: any number of devices wait", CODES, "< ${MAX_DEVICES}", "< 1000000", TEST),
  fault("oauth: a person has any number of codes", CODES, "< ${MAX_CODES}", "< 1000000", TEST),
  fault(
    "oauth: other sites answer questions",
    ANSWERED,
    "requireSameOrigin(request.headers, env.base);",
    "",
    FORGED_ANSWER,
    "packages/server/test/mcp/confirmation.test.ts",
  ),
  fault(
    "oauth: questions have no limit of attempts",
    ANSWERED,
    "if (!(await countAttempt(request, reply, env)))",
    "if (false)",
    LIMITS,
  ),
  fault(
    "forms: a late one counts for a person whose session has ended",
    "packages/server/src/operations/received-form.ts",
    "await admitted.readmit()",
    "admitted",
    LATE,
  ),
  fault(
    "oauth: a code is stored for a session that another node has ended",
    "packages/server/src/identity/lock-credential.ts",
    "where id = ${credential.id} and expires_at > ${clock()}`;",
    "where ${credential.id} <> ${clock()}`;",
    LATE,
  ),
  fault(
    "oauth: a token is stored for a session that another node has ended",
    "packages/server/src/identity/tokens.ts",
    "lockCredential(caller, env), ",
    "",
    LATE,
  ),
  fault(
    "oauth: a connected tool is stored for a session that another node has ended",
    "packages/server/src/identity/apps.ts",
    "lockCredential(caller, env), ",
    "",
    LATE,
  ),
  fault(
    "oauth: tickets are not signed",
    TICKETS,
    "!signer.verifies(signature, purpose, content)",
    'content === "" || content === "a"',
    FORGED_ANSWER,
  ),
  fault(
    "oauth: another person's ticket",
    TICKETS,
    "ticket?.user === id ? ticket : null",
    "ticket",
    FORGED_ANSWER,
  ),
  fault(
    "oauth: tickets have no end",
    TICKETS,
    "ticket.expires > clock() ? ticket : null",
    "ticket",
    FORGED_ANSWER,
  ),
  fault(
    "oauth: scripts of canvases read the question",
    `${OAUTH}/asked-access.ts`,
    '!["document", "unknown"].includes(destinationOf(request.headers))',
    "false",
    HOSTILE_REQUEST,
  ),
  fault(
    "oauth: guests let programs act",
    `${OAUTH}/asked-access.ts`,
    'user.kind === "guest"',
    "false",
    HOSTILE_REQUEST,
  ),
  fault(
    "oauth: hosts with characters that turn the text around",
    `${OAUTH}/asked-access.ts`,
    "/[^\\p{L}\\p{N}._-]/gu",
    "/[^\\p{L}\\p{N}\\p{Cf}._-]/gu",
    HOSTILE_REQUEST,
  ),
  fault(
    "oauth: the question can be framed by old browsers",
    `${OAUTH}/authorize.ts`,
    'app.get("/oauth/authorize", { exposeHeadRoute: false }, async (request, reply) => {\n    blockEmbedding(reply);',
    'app.get("/oauth/authorize", { exposeHeadRoute: false }, async (request, reply) => {',
    HOSTILE_REQUEST,
  ),
];
