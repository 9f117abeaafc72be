// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

/** Faults of the databases, and of the connections to them. */
export const database: Fault[] = [
  fault(
    "database: a batch on PostgreSQL is committed although a step changed no row",
    "packages/server/src/drivers/db/postgres/postgres-statement.ts",
    "select ln(count(*)) from step",
    "select count(*) from step",
    "packages/server/test/drivers/db.test.ts",
  ),
  fault(
    "database: an error of one read of a turn is that of all",
    "packages/server/src/drivers/db/postgres/turn-reads.ts",
    "if (!isRefusal(error)) {",
    "if (error !== null) {",
    "packages/server/test/drivers/postgres-turns.test.ts",
  ),
  fault(
    "database: reads of a turn with other values share a row",
    "packages/server/src/drivers/db/db.ts",
    "return `${text.length}:${text}`;",
    "return text;",
    "packages/server/test/drivers/postgres-turns.test.ts",
  ),
  fault(
    "database: a backslash in a value of a turn is not escaped",
    "packages/server/src/drivers/db/postgres/array-values.ts",
    'const SPECIAL = /["\\\\]/;',
    'const SPECIAL = /["]/;',
    "packages/server/test/drivers/postgres-turns.test.ts",
  ),
  fault(
    "database: two updates of a row are one statement",
    "packages/server/src/drivers/db/postgres/turn-writes.ts",
    "rounds[count] = round;",
    "rounds[count] = rounds[0] ?? round;",
    "packages/server/test/drivers/postgres-turns.test.ts",
  ),
  fault(
    "database: a batch leaves out a step with an undefined value",
    "packages/server/src/drivers/db/postgres/lanes.ts",
    "values.some((value) => value === undefined)",
    "values.includes(undefined as never) && false",
    "packages/server/test/drivers/postgres-turns.test.ts",
  ),
  fault(
    "database: a turn may read whole tables",
    "packages/server/src/drivers/db/postgres/postgres-connections.ts",
    'enable_seqscan: "off"',
    'enable_seqscan: "on"',
    "packages/server/test/drivers/postgres-plans.test.ts",
  ),
  fault(
    "database: a host that is not loopback is reached without TLS",
    "packages/server/src/drivers/db/postgres/postgres-options.ts",
    "given.sslrootcert === null && hosts.every(isLoopback)",
    "true",
    "packages/server/src/drivers/db/postgres/postgres-options.test.ts",
  ),
  fault(
    "database: any certificate is accepted",
    "packages/server/src/drivers/db/postgres/postgres-options.ts",
    'rejectUnauthorized: isOfCa || mode === "verify-full"',
    "rejectUnauthorized: false",
    "packages/server/test/drivers/postgres-tls.test.ts",
  ),
  fault(
    "database: a certificate for another name is accepted",
    "packages/server/src/drivers/db/postgres/postgres-options.ts",
    "...(isOfCa && {",
    "...({",
    "packages/server/test/drivers/postgres-tls.test.ts",
  ),
  fault(
    "database: the certificate of an IP address is compared with localhost",
    "packages/server/src/drivers/db/postgres/postgres-options.ts",
    "...(isIP(host) !== 0 && { host }),",
    "",
    "packages/server/test/drivers/postgres-tls.test.ts",
  ),
  fault(
    "database: a handshake that fails is an error of the service",
    "packages/server/src/drivers/db/postgres/postgres-errors.ts",
    " || isHandshakeError(error)",
    "",
    "packages/server/test/drivers/postgres-tls.test.ts",
  ),
  fault(
    "database: rows after a query that failed midway are lost",
    "packages/server/src/drivers/db/postgres/postgres-client.ts",
    "|| 0 in found ?",
    "|| true ?",
    "packages/server/test/drivers/postgres-turns.test.ts",
  ),
  fault(
    "database: an unknown sslmode is accepted",
    "packages/server/src/drivers/db/postgres/postgres-options.ts",
    "if (mode === undefined) throw",
    "if (false) throw",
    "packages/server/src/drivers/db/postgres/postgres-options.test.ts",
  ),
];
