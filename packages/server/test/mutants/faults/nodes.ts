import { type Fault, fault } from "../fault.ts";

const NODES = "packages/server/src/instance/nodes.ts";
const TEST = "packages/server/test/instance/nodes.test.ts";

/** Faults of several nodes on one database. */
export const nodes: Fault[] = [
  fault(
    "nodes: one that signs with a secret which others do not accept starts",
    NODES,
    "!agree(self.signingKeys, other.signingKeys)",
    "self.signingKeys.every((key) => !other.signingKeys.includes(key))",
    TEST,
  ),
  fault(
    "nodes: one without the key of the others starts",
    NODES,
    "!agree(self.encryptionKeys, other.encryptionKeys)",
    "self.encryptionKeys.length > 0 && !agree(self.encryptionKeys, other.encryptionKeys)",
    TEST,
  ),
  fault(
    "nodes: a second one starts with a bus of its own",
    NODES,
    "!self.sharedBus || !other.sharedBus",
    "!self.sharedBus && !other.sharedBus",
    TEST,
  ),
  fault(
    "nodes: a process of another container counts as ended",
    NODES,
    'self.process.split(" ")[0] !== namespace',
    "false",
    TEST,
  ),
  fault(
    "nodes: a killed one prevents the start",
    NODES,
    "if (hasRenewed ||",
    "if (hasRenewed || waited === 0 ||",
    TEST,
  ),
  fault(
    "nodes: a row that was removed stays away",
    "packages/server/src/instance/lease.ts",
    "if (this.#keepNode !== null) {",
    "if (this.#keepNode !== null && this.held.size > 0) {",
    TEST,
  ),
  fault(
    "nodes: a difference of clocks is told at each renewal",
    "packages/server/src/instance/clock-skew.ts",
    "Math.abs(skew - this.#told) > SKEW_MS",
    "true",
    "packages/server/src/instance/clock-skew.test.ts",
  ),
  fault(
    "workers: they outlive their primary process",
    "packages/server/src/instance/workers.ts",
    'process.once("disconnect", stop);',
    "",
    "packages/server/test/instance/worker-processes.test.ts",
  ),
  fault(
    "workers: one of them serves, because they do not share the port",
    "packages/server/src/service.ts",
    "reusePort: true",
    "reusePort: false",
    "packages/server/test/instance/worker-processes.test.ts",
  ),
  fault(
    "workers: one that does not start is started without a pause",
    "packages/server/src/instance/workers.ts",
    "wait = Math.min(2 * wait, restart.most);",
    "",
    "packages/server/test/instance/workers.test.ts",
  ),
  fault(
    "workers: one that does not stop is waited for",
    "packages/server/src/instance/workers.ts",
    'child.kill("SIGKILL");',
    "",
    "packages/server/test/instance/workers.test.ts",
  ),
  fault(
    "config: workers with a bus of their own",
    "packages/server/src/config/config.ts",
    'read.workers > 1 && read.busUrl === "memory:"',
    "false",
    "packages/server/src/config/config.test.ts",
  ),
  fault(
    "config: nodes with secrets of their own",
    "packages/server/src/config/config.ts",
    'read.busUrl !== "memory:" &&\n      read.sessionSecret === null',
    'read.busUrl === "memory:" &&\n      read.sessionSecret === null',
    "packages/server/src/config/config.test.ts",
  ),
  fault(
    "migrate: a database of any newer version is accepted",
    "packages/server/src/drivers/db/migrate.ts",
    "if (!isReadable(since, schema))",
    "if (false)",
    "packages/server/test/drivers/migrate.test.ts",
  ),
  fault(
    "migrate: a migration takes the schema away from a node that runs",
    "packages/server/src/drivers/db/migrate.ts",
    "if (unreadable !== undefined)",
    "if (false)",
    "packages/server/test/drivers/migrate.test.ts",
  ),
  fault(
    "db: a row of SQLite has the columns from before a migration by another process",
    "packages/server/src/drivers/db/row-maker.ts",
    "return (values) => values.length ===",
    "return (values) => 0 < values.length || values.length ===",
    "packages/server/test/instance/rolling-upgrade.test.ts",
  ),
  fault(
    "stop: a node that stops passes its health check",
    "packages/server/src/http/health.ts",
    'if (env.stopping.aborted) refuse("UNAVAILABLE");',
    "",
    "packages/server/test/service/stop.test.ts",
  ),
  fault(
    "stop: a node that stops keeps connections open",
    "packages/server/src/service.ts",
    "response.shouldKeepAlive = false;",
    "void response;",
    "packages/server/test/service/stop.test.ts",
  ),
];
