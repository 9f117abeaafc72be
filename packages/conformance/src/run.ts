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
import { sharedCounts } from "./kv/counts.ts";
import { NotReady, preflight } from "./preflight.ts";
import { serving } from "./serving.ts";

/*
 * Runs the tests of every section of the specification against one service:
 *   BASE_URL=http://localhost:3000 node packages/conformance/src/run.ts
 * BASE_URL, URL_MODE and AUTH_MODE can also be the arguments. The README has the other settings.
 */
const [, , BASE_URL, URL_MODE, AUTH_MODE] = process.argv;
const given = Object.entries({ BASE_URL, URL_MODE, AUTH_MODE }).filter(([, value]) => value !== undefined);

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
  authoring,
  submissions,
  collections,
  adjacent,
  authentication,
  events,
  serving,
];

try {
  const ready = await preflight({ ...process.env, ...Object.fromEntries(given) });
  for (const section of SECTIONS)
    if (section === authoring && !ready.authoring) operatorDisabled(ready.target);
    else section(ready.target);
  if (!ready.target.rateLimited) sharedCounts(ready.target);
  process.on("exit", () => {
    process.stdout.write(`\nNot tested:\n${ready.leftOut.map((each) => `  - ${each}`).join("\n")}\n`);
  });
} catch (error) {
  if (!(error instanceof NotReady)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
