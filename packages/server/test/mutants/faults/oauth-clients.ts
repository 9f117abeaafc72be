// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const REDIRECTS = "packages/server/src/access/redirect-uri.ts";
const REDIRECTS_TEST = "packages/server/src/access/redirect-uri.test.ts";
const DOCUMENT = "packages/server/src/access/client-document.ts";
const DOCUMENT_TEST = "packages/server/src/access/client-document.test.ts";
const REMOTE = "packages/server/src/drivers/remote-documents.ts";
const REMOTE_TEST = "packages/server/src/drivers/remote-documents.test.ts";
const CLIENTS = "packages/server/src/oauth/clients";
const DOCUMENTS = "packages/server/test/sign-in/oauth-documents.test.ts";
const REGISTER = "packages/server/test/sign-in/oauth-register.test.ts";

/** Faults of the clients of OAuth: their documents, registrations and redirect URIs. */
export const oauthClients: Fault[] = [
  fault(
    "oauth clients: any document is fetched from a private address that Connections may reach",
    `${CLIENTS}/document-client.ts`,
    "env.config.oauthClients.hosts.includes(url.host) ? env.outbound : env.publicOutbound",
    "env.outbound",
    DOCUMENTS,
  ),
  fault(
    "oauth clients: a document of a host that the operator has not named",
    `${CLIENTS}/document-client.ts`,
    "if (hosts.length > 0 && !hosts.includes(url.host))",
    "if (false)",
    DOCUMENTS,
  ),
  fault(
    "oauth clients: a canvas describes a program",
    `${CLIENTS}/document-client.ts`,
    "if (leadsToService(clientId, base))",
    "if (false)",
    DOCUMENTS,
  ),
  fault(
    "oauth clients: a network has as many documents fetched as it likes",
    `${CLIENTS}/document-client.ts`,
    "if (!(await take(",
    "if (false && !(await take(",
    DOCUMENTS,
  ),
  fault(
    "oauth clients: a redirect of a document is accepted",
    REMOTE,
    "if (status >= 300 && status < 400)",
    "if (false)",
    REMOTE_TEST,
  ),
  fault(
    "oauth clients: an error page is a document",
    REMOTE,
    "if (status !== 200)",
    "if (false)",
    REMOTE_TEST,
  ),
  fault(
    "oauth clients: a page is a document",
    REMOTE,
    "if (!JSON_TYPE.test(",
    "if (false && !JSON_TYPE.test(",
    REMOTE_TEST,
  ),
  fault(
    "oauth clients: a document of any size",
    REMOTE,
    "const MAX_BYTES = 5 * 1024;",
    "const MAX_BYTES = 1e9;",
    REMOTE_TEST,
  ),
  fault("oauth clients: a fetch has no end", REMOTE, "() => end.abort()", "() => {}", REMOTE_TEST),
  fault(
    "oauth clients: each request fetches a document of its own",
    REMOTE,
    "this.#find(address.href) ?? this.#start(address, outbound)",
    "this.#start(address, outbound)",
    REMOTE_TEST,
  ),
  fault(
    "oauth clients: a failure is forgotten",
    REMOTE,
    "const FAILURE_KEPT_MS = 5 * 60_000;",
    "const FAILURE_KEPT_MS = 0;",
    REMOTE_TEST,
  ),
  fault(
    "oauth clients: documents fill the memory",
    REMOTE,
    "this.#kept.size >= MAX_KEPT",
    "false",
    REMOTE_TEST,
  ),
  fault(
    "oauth clients: any number of fetches of a person at once",
    REMOTE,
    "runningEach: RUNNING_EACH",
    "runningEach: RUNNING",
    REMOTE_TEST,
  ),
  fault(
    "oauth clients: people wait for the fetches of each other",
    REMOTE,
    "this.#fetches.run(person, fetch)",
    'this.#fetches.run("all", fetch)',
    REMOTE_TEST,
  ),
  fault(
    "oauth clients: a document speaks for another client",
    DOCUMENT,
    "if (fields.client_id !== clientId)",
    "if (false)",
    DOCUMENT_TEST,
  ),
  fault(
    "oauth clients: a client with a secret",
    DOCUMENT,
    "if (!canBePublic(fields))",
    "if (false)",
    DOCUMENT_TEST,
  ),
  fault(
    "oauth clients: client ids in several spellings",
    DOCUMENT,
    " || url.href !== clientId",
    "",
    DOCUMENT_TEST,
  ),
  fault(
    "oauth clients: a client id names a user",
    DOCUMENT,
    'return url.username === "" && url.password === "" ? url : null;',
    "return url;",
    DOCUMENT_TEST,
  ),
  fault(
    "oauth clients: a registered client returns to any web server",
    `${CLIENTS}/registered.ts`,
    'kind !== "https" ||',
    "true ||",
    REGISTER,
  ),
  fault(
    "oauth clients: anybody issues client ids",
    `${CLIENTS}/registered.ts`,
    "if (rest.length > 0 || !env.signer.verifies(signature, PURPOSE, text))",
    'if (rest.length > 0 || signature === "")',
    REGISTER,
  ),
  fault(
    "oauth clients: registered clients stay when registration is turned off",
    `${CLIENTS}/registered.ts`,
    "if (!env.config.oauthRegistration)",
    "if (false)",
    REGISTER,
  ),
  fault(
    "oauth clients: registration cannot be turned off",
    `${CLIENTS}/register.ts`,
    "if (!env.config.oauthRegistration)",
    "if (false)",
    REGISTER,
  ),
  fault(
    "oauth clients: registrations are not limited",
    `${CLIENTS}/register.ts`,
    "await admitProgram(request, reply, limits, env);",
    "",
    REGISTER,
  ),
  fault(
    "oauth clients: the port is ignored for every redirect URI",
    REDIRECTS,
    'if (redirectKind(uri) !== "loopback") return false;',
    "",
    REDIRECTS_TEST,
  ),
  fault(
    "oauth clients: a loopback redirect URI matches by its host alone",
    REDIRECTS,
    "withoutPort(each) === withoutPort(uri)",
    "new URL(each).hostname === new URL(uri).hostname",
    REDIRECTS_TEST,
  ),
  fault(
    "oauth clients: http redirects to other computers",
    REDIRECTS,
    'LOOPBACK_HOSTS.includes(url.hostname) ? "loopback" : null',
    '"loopback"',
    REDIRECTS_TEST,
  ),
  fault(
    "oauth clients: redirects to scripts and files",
    REDIRECTS,
    " && !TAKEN_SCHEMES.test(uri)",
    "",
    REDIRECTS_TEST,
  ),
  fault(
    "oauth clients: redirect URIs in several spellings",
    REDIRECTS,
    "(url.href !== uri && url.href !== `${uri}/`)",
    "false",
    REDIRECTS_TEST,
  ),
  fault(
    "oauth clients: redirects to canvas hosts",
    REDIRECTS,
    'base.urlMode === "subdomain" && url.hostname',
    "false && url.hostname",
    REDIRECTS_TEST,
  ),
  fault(
    "oauth clients: redirects to the service on this computer",
    REDIRECTS,
    "return portOf(url) === portOf(new URL(base.origin));",
    "return false;",
    REDIRECTS_TEST,
  ),
  fault(
    "oauth clients: a redirect URI of a request leads to the service",
    `${CLIENTS}/oauth-client.ts`,
    "hasRedirect(allowed, uri) && !leadsToService(uri, base)",
    "hasRedirect(allowed, uri)",
    DOCUMENTS,
  ),
  fault(
    "oauth clients: links to the service lead to a stranger's page",
    "packages/server/src/oauth/authorization-request.ts",
    "if (!mayRedirectUnasked(client, redirectUri, env)) throw error;",
    "",
    DOCUMENTS,
  ),
  fault(
    "oauth clients: names change the direction of text",
    `${CLIENTS}/client-name.ts`,
    "[\\p{C}\\p{Default_Ignorable_Code_Point}\\ufffd]",
    "[\\ufffd]",
    `${CLIENTS}/client-name.test.ts`,
  ),
];
