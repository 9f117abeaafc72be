// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const ACCOUNT = "packages/cli/src/account";
const LOGIN = "packages/cli/test/login-command.test.ts";
const ADDRESSES = "packages/cli/test/login-addresses.test.ts";
const CREDENTIALS = "packages/cli/test/stored-credentials.test.ts";

/** Faults of the sign-in in the command line. */
export const cliAccount: Fault[] = [
  fault(
    "cli: any request ends the wait for the browser",
    `${ACCOUNT}/browser-login.ts`,
    'url.searchParams.get("state") === expected',
    "true",
    LOGIN,
  ),
  fault(
    "cli: secrets go to endpoints of another origin",
    `${ACCOUNT}/discovery.ts`,
    "URL.parse(each)?.origin !== url",
    "false",
    ADDRESSES,
  ),
  fault(
    "cli: a service names another issuer",
    `${ACCOUNT}/discovery.ts`,
    "metadata.issuer !== url",
    "false",
    ADDRESSES,
  ),
  fault(
    "cli: a token is sent without encryption",
    "packages/cli/src/api/encryption.ts",
    'parsed.protocol === "https:" || isLoopback(parsed)',
    'parsed.protocol !== ""',
    ADDRESSES,
  ),
  fault(
    "cli: the former token stays valid",
    `${ACCOUNT}/login.ts`,
    "if (former !== undefined) await revokeToken",
    "if (false) await revokeToken",
    LOGIN,
  ),
  fault(
    "cli: others may read the file of tokens",
    `${ACCOUNT}/credentials.ts`,
    "  await makePrivate(file);\n",
    "",
    CREDENTIALS,
  ),
  fault(
    "cli: a new file of tokens is readable for others",
    `${ACCOUNT}/credentials.ts`,
    "\\n`, 0o600)",
    "\\n`, 0o644)",
    LOGIN,
  ),
  fault(
    "cli: a token with a line break is sent",
    `${ACCOUNT}/credentials.ts`,
    ".check(z.regex(TOKEN))",
    "",
    CREDENTIALS,
  ),
  fault(
    "cli: logout keeps the token of the service",
    `${ACCOUNT}/logout.ts`,
    "await revokeToken(url, stored.token, context);",
    "",
    LOGIN,
  ),
  fault(
    "cli: logout keeps the stored token",
    `${ACCOUNT}/logout.ts`,
    "services: others }",
    "services }",
    LOGIN,
  ),
  fault(
    "cli: Ctrl-C ends a sign-in by code only after a poll",
    `${ACCOUNT}/login.ts`,
    "await untilAborted(pollDeviceAuthorizationGrant(config, device, undefined, { signal }), signal)",
    "await pollDeviceAuthorizationGrant(config, device, undefined, { signal })",
    LOGIN,
  ),
];
