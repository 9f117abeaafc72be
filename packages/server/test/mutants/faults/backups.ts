// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const TEST = "packages/server/test/backup/backup.test.ts";
const BACKUP = "packages/server/src/backup";
const DB = "packages/server/src/drivers/db";

/** Deliberate mistakes in backups, restores and what is kept after them. */
export const backups: Fault[] = [
  fault(
    "backups: a copy of the database is readable for others",
    `${DB}/sqlite-copy.ts`,
    'open(to, "wx", 0o600)',
    'open(to, "wx", 0o644)',
    TEST,
  ),
  fault(
    "backups: an altered manifest counts",
    `${BACKUP}/manifest.ts`,
    "if (hashOf(textOf(contents)) !== sha256)",
    "if (sha256 === undefined)",
    TEST,
  ),
  fault(
    "backups: an altered database counts",
    `${BACKUP}/verify-backup.ts`,
    "else if (measured.sha256 !== expected.sha256)",
    "else if (measured.bytes !== expected.bytes)",
    TEST,
  ),
  fault(
    "backups: a blob with other bytes counts",
    `${BACKUP}/verify-backup.ts`,
    "new Content({ key, ...(size !== undefined && { size }) })",
    "new Content({})",
    TEST,
  ),
  fault(
    "backups: backups of two instances share a folder",
    `${BACKUP}/take-backup.ts`,
    "if (other.instance === instance) return;",
    "return;",
    TEST,
  ),
  fault(
    "backups: a blob that vanished meanwhile is left out",
    `${BACKUP}/take-backup.ts`,
    "if (missing.every((key) => lost.includes(key))) {",
    "if (missing.length >= 0) {",
    TEST,
  ),
  fault(
    "backups: blobs are removed although a damaged backup may need them",
    `${BACKUP}/prune.ts`,
    "if (damaged > 0) return;",
    "",
    TEST,
  ),
  fault(
    "restores: the log of the database of before stays beside the restored one",
    `${BACKUP}/interrupted-restore.ts`,
    'const SUFFIXES = ["", "-wal", "-shm", "-journal"];',
    'const SUFFIXES = [""];',
    TEST,
  ),
  fault(
    "restores: a restore does not wait until the service is stopped",
    `${BACKUP}/restore-backup.ts`,
    "await withoutService(config, async () => {",
    "await (async (_: unknown, work: () => Promise<void>) => work())(withoutService, async () => {",
    TEST,
  ),
  fault(
    "restores: an interrupted restore is not finished by the next start",
    "packages/server/src/open-instance.ts",
    "if (await finishRestore(config))",
    "if (await Promise.resolve(finishRestore === undefined))",
    TEST,
  ),
  fault(
    "restores: an interrupted restore of PostgreSQL is not finished by the next start",
    "packages/server/src/open-instance.ts",
    "(await isInterrupted(config))",
    "(await Promise.resolve(isInterrupted === undefined))",
    TEST,
  ),
  fault(
    "restores: the blobs of a database of PostgreSQL that was not restored are replaced",
    `${BACKUP}/interrupted-restore.ts`,
    "token === null || (await isRestoredDump(databaseUrl, token))",
    "token === null || (await isRestoredDump(databaseUrl, token)) || true",
    TEST,
  ),
  fault(
    "restores: tables of PostgreSQL are replaced without being asked for",
    `${BACKUP}/restore-backup.ts`,
    "if (tables > 0 && !replace)",
    "if (tables < 0 && !replace)",
    TEST,
  ),
  fault(
    "restores: unused blobs are removed at once after a restore",
    "packages/server/src/canvases/sweep.ts",
    "if ((await heldUntil(env)) !== null) return 0;",
    "",
    TEST,
  ),
  fault(
    "restores: a database that was copied by hand is not recognised",
    "packages/server/src/instance/sweep-guard.ts",
    "const isRestored = marked > Number(known?.ticks ?? 0);",
    "const isRestored = marked < Number(known?.ticks ?? 0);",
    TEST,
  ),
  fault(
    "upgrades: no copy is made before migrations",
    "packages/server/src/drivers/index.ts",
    "if (!config.copiesBeforeMigrations || db.engine",
    "if (config.copiesBeforeMigrations || db.engine",
    TEST,
  ),
];
