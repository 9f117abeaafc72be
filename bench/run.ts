import { ai } from "./ai.ts";
import { backup } from "./backup.ts";
import { calibrate } from "./calibrate.ts";
import { commandLine } from "./cli.ts";
import { collections } from "./collections.ts";
import { connections } from "./connections.ts";
import { dashboard } from "./dashboard.ts";
import { dashboardData } from "./dashboard-data.ts";
import { deploys } from "./deploys.ts";
import { fairness } from "./fairness.ts";
import { files } from "./files.ts";
import { kv } from "./kv.ts";
import { mcp } from "./mcp.ts";
import { metrics } from "./metrics.ts";
import { nodes } from "./nodes.ts";
import { realtime } from "./realtime.ts";
import { s3 } from "./s3.ts";
import { scale } from "./scale.ts";
import { sizes } from "./sizes.ts";
import { start, startOfBundle } from "./start.ts";
import { staticPage } from "./static.ts";
import { print } from "./table.ts";

/** Benchmarks by name. */
const BENCHES = {
  calibrate,
  kv,
  static: [staticPage, deploys],
  collections,
  files,
  ai,
  connections,
  fairness,
  mcp,
  metrics,
  realtime,
  backup,
  s3,
  scale,
  nodes,
  sizes,
  start: [start, startOfBundle],
  dashboard: [dashboard, dashboardData],
  cli: commandLine,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  process.stderr.write(
    `No such benchmark: ${unknown.join(", ")}. There are: ${Object.keys(BENCHES).join(", ")}.\n`,
  );
  process.exit(1);
}
for (const [name, bench] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const part of [bench].flat()) process.stdout.write(`${print(await part())}\n`);
}
