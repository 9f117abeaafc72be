import { identity } from "@easel/conformance/4.2-identity";
import { account } from "@easel/conformance/4.11-adjacent";
import { gate } from "@easel/conformance/authentication/gate";
import { gateCookie } from "@easel/conformance/authentication/gate-cookie";
import { hosts } from "@easel/conformance/authentication/hosts";
import { invitations } from "@easel/conformance/authentication/invitations";
import { principals } from "@easel/conformance/authentication/principals";
import { revocation } from "@easel/conformance/authentication/revocation";
import { sessions } from "@easel/conformance/authentication/sessions";
import { tokens } from "@easel/conformance/authentication/tokens";
import { origins as originsOfFiles } from "@easel/conformance/files/origins";
import { cors } from "@easel/conformance/pipeline/cors";
import { gateway } from "@easel/conformance/pipeline/gateway";
import { isolation } from "@easel/conformance/pipeline/isolation";
import { order } from "@easel/conformance/pipeline/order";
import { preflight } from "@easel/conformance/pipeline/preflight";
import { rateLimit } from "@easel/conformance/pipeline/rate-limit";
import { visitors } from "@easel/conformance/pipeline/visitors";
import { handshakeRates } from "@easel/conformance/realtime/metering";
import { origins } from "@easel/conformance/realtime/origins";
import { route } from "@easel/conformance/realtime/route";
import { upgrade } from "@easel/conformance/realtime/upgrade";
import { visitors as visitorsOfChannels } from "@easel/conformance/realtime/visitors";
import { conforms } from "./conformance.ts";

/* Runs the suites that depend on the URL mode or on the sign-in mode. All other suites run in path mode with dev sign-in only. */
const BY_BOTH = [gateway, principals, upgrade, visitorsOfChannels];
const BY_URL = [
  isolation,
  preflight,
  cors,
  order,
  visitors,
  account,
  gate,
  gateCookie,
  revocation,
  route,
  origins,
  originsOfFiles,
];
const BY_SIGN_IN = [identity, visitors, account, invitations, tokens, sessions, revocation];

await conforms(
  "modes",
  {
    engine: "sqlite",
    urlMode: "subdomain",
    authMode: "dev",
    suites: [...BY_BOTH, ...BY_URL, hosts],
    limited: [rateLimit, handshakeRates],
  },
  { engine: "sqlite", urlMode: "path", authMode: "proxy", suites: [...BY_BOTH, ...BY_SIGN_IN] },
  { engine: "sqlite", urlMode: "subdomain", authMode: "proxy", suites: [...BY_BOTH, hosts] },
);
