// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const HOSTS = "packages/cli/src/dev/page-hosts.ts";
const FRONT = "packages/cli/src/dev/front.ts";
const POLICY = "packages/cli/src/dev/page-policy.ts";
const COOKIES = "packages/cli/src/dev/cookie-names.ts";

const FRONT_TEST = "packages/cli/test/dev-front.test.ts";

/** Faults of `easel dev`. */
export const cliDev: Fault[] = [
  fault(
    "dev: any host",
    HOSTS,
    "return match === null ? null :",
    "return match === null ? { host, origin: `http://${host}`, label: null } :",
    FRONT_TEST,
  ),
  fault("dev: a host with another port", HOSTS, "!host.endsWith(suffix)", '!host.includes(":")', FRONT_TEST),
  fault(
    "dev: pages of other origins choose the person",
    HOSTS,
    'return site === undefined ? headers.origin === origin : site === "same-origin";',
    "return true;",
    FRONT_TEST,
  ),
  fault(
    "dev: pages of other origins open sockets",
    FRONT,
    "if (originalHeaders.origin !== host.origin)",
    "if (originalHeaders.origin === undefined)",
    FRONT_TEST,
  ),
  fault(
    "dev: the policy of a page is dropped",
    POLICY,
    "[...before, ...sources]",
    '["*"]',
    "packages/cli/src/dev/page-policy.test.ts",
  ),
  fault(
    "dev: cookies of other ports",
    COOKIES,
    "name.endsWith(suffix)",
    "true",
    "packages/cli/src/dev/cookie-names.test.ts",
  ),
];
