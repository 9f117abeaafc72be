import { lifecycle } from "./3-lifecycle.ts";
import { pipeline } from "./4.1-pipeline.ts";
import { identity } from "./4.2-identity.ts";
import { people } from "./4.2-people.ts";
import { kv } from "./4.3-kv.ts";
import { files } from "./4.4-files.ts";
import { ai } from "./4.5-ai.ts";
import { connections } from "./4.6-connections.ts";
import { realtime } from "./4.7-realtime.ts";
import { authoring } from "./4.8-authoring.ts";
import { submissions } from "./4.9-submissions.ts";
import { collections } from "./4.10-collections.ts";
import { adjacent } from "./4.11-adjacent.ts";
import { authentication } from "./5-authentication.ts";
import { events } from "./6-events.ts";
import { operatorDisabled } from "./authoring/switches.ts";
import { serving } from "./serving.ts";
import { devTarget, proxyTarget, type TargetOptions } from "./target.ts";

/*
 * Runs the tests of every section of the specification against one service:
 *   BASE_URL=http://localhost:3000 URL_MODE=path AUTH_MODE=dev node --test packages/conformance/src/run.ts
 * The three settings can also be the arguments of `node packages/conformance/src/run.ts`. The README has the other settings.
 */
const [, , ...given] = process.argv;
const { BASE_URL = given[0], URL_MODE = given[1] ?? "path", AUTH_MODE = given[2] ?? "dev" } = process.env;
const { ADMIN_EMAIL, AI_PROVIDER, AI_WIRE = "anthropic", AUTHORING, RATE_LIMITED, UPSTREAM } = process.env;

if (!BASE_URL || !URL.canParse(BASE_URL))
  throw new Error("BASE_URL names the service, as in http://localhost:3000");
if (URL_MODE !== "path" && URL_MODE !== "subdomain") throw new Error("URL_MODE is path or subdomain");
if (AUTH_MODE !== "dev" && AUTH_MODE !== "proxy") throw new Error("AUTH_MODE is dev or proxy");
if (AI_WIRE !== "anthropic" && AI_WIRE !== "openai") throw new Error("AI_WIRE is anthropic or openai");

const options: TargetOptions = { rateLimited: RATE_LIMITED === "1" };
if (ADMIN_EMAIL) options.admin = ADMIN_EMAIL;
if (AI_PROVIDER) options.ai = { url: AI_PROVIDER, wire: AI_WIRE };
if (UPSTREAM) options.upstream = UPSTREAM;
const target = (AUTH_MODE === "dev" ? devTarget : proxyTarget)(BASE_URL, URL_MODE, options);

const SECTIONS = [
  lifecycle,
  pipeline,
  identity,
  people,
  kv,
  files,
  ai,
  connections,
  realtime,
  AUTHORING === "1" ? authoring : operatorDisabled,
  submissions,
  collections,
  adjacent,
  authentication,
  events,
  serving,
];
for (const section of SECTIONS) section(target);
