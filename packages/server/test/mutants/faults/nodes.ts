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
];
