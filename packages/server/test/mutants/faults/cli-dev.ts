// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const HOSTS = "packages/cli/src/dev/page-hosts.ts";
const REVERSE_PROXY = "packages/cli/src/dev/reverse-proxy.ts";
const POLICY = "packages/cli/src/dev/send-response.ts";
const COOKIES = "packages/cli/src/dev/page-hosts.ts";

const REVERSE_PROXY_TEST = "packages/cli/test/dev-reverse-proxy.test.ts";

/** Faults of `easel dev`. */
export const cliDev: Fault[] = [
  fault(
    "dev: any host",
    HOSTS,
    "return match === null ? null :",
    "return match === null ? { host, origin: `http://${host}`, label: null } :",
    REVERSE_PROXY_TEST,
  ),
  fault(
    "dev: a host with another port",
    HOSTS,
    "!host.endsWith(suffix)",
    '!host.includes(":")',
    REVERSE_PROXY_TEST,
  ),
  fault(
    "dev: pages of other origins choose the person",
    HOSTS,
    'return site === undefined ? headers.origin === origin : site === "same-origin";',
    "return true;",
    REVERSE_PROXY_TEST,
  ),
  fault(
    "dev: pages of other origins open sockets",
    REVERSE_PROXY,
    "if (originalHeaders.origin !== host.origin)",
    "if (originalHeaders.origin === undefined)",
    REVERSE_PROXY_TEST,
  ),
  fault(
    "dev: the policy of a page is dropped",
    POLICY,
    "[...before, ...sources]",
    '["*"]',
    "packages/cli/src/dev/send-response.test.ts",
  ),
  fault(
    "dev: cookies of other ports",
    COOKIES,
    "name.endsWith(suffix)",
    "true",
    "packages/cli/src/dev/page-hosts.test.ts",
  ),
];
