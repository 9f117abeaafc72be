import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";
import { createAuthority } from "@easel/conformance/connections/authority";
import { until } from "@easel/conformance/patience";
import { SetupError } from "../../src/config/setting-types.ts";
import { Unavailable } from "../../src/drivers/db/db.ts";
import { postgres } from "../../src/drivers/db/postgres/postgres.ts";
import { type PostgresServer, postgresPrograms, startPostgres } from "../support/postgres-server.ts";
import { atEnd, type Scope } from "../support/service.ts";

const programs = postgresPrograms();
const skip = programs === undefined && "PostgreSQL is not installed";

/** A host name that leads to this machine, but that the service does not take for loopback, because it is not in lower case. */
const NAME = "LOCALHOST";

describe("TLS of a PostgreSQL server", { skip }, async () => {
  const files = mkdtempSync(path.join(os.tmpdir(), "easel-postgres-tls-"));
  const write = (name: string, content: string) => {
    const file = path.join(files, name);
    writeFileSync(file, content);
    return file;
  };
  const authority = await createAuthority();
  const ca = write("ca.pem", authority.ca);
  const otherCa = write("other.pem", (await createAuthority()).ca);
  const started: PostgresServer[] = [];
  after(async () => {
    for (const server of started) await server.remove();
  });

  async function start(names?: string[]) {
    const server = await startPostgres(programs ?? "", { tls: names && (await authority.issue(names)) });
    started.push(server);
    return server;
  }
  const [named, misnamed, plain] = [await start(["localhost"]), await start(["db.example"]), await start()];

  /** Connects as at the start of the service, and returns whether the connection is encrypted. */
  async function connect(
    t: Scope,
    { url }: PostgresServer,
    host: string,
    parameters: string,
  ): Promise<boolean> {
    const db = postgres(`${url.replace("127.0.0.1", host)}/postgres${parameters}`);
    atEnd(t, () => db.close());
    await db.exclusively(async ({ exec }) => exec("select 1"));
    const row = await db.get<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    return row?.ssl === true;
  }

  for (const [what, server, host, parameters] of [
    ["a certificate for the name in the URL", named, NAME, `?sslrootcert=${ca}`],
    ["sslmode=verify-ca, another name", misnamed, NAME, `?sslmode=verify-ca&sslrootcert=${ca}`],
    ["sslmode=require, no known authority", misnamed, NAME, "?sslmode=require"],
    ["sslmode=no-verify, another authority", misnamed, NAME, `?sslmode=no-verify&sslrootcert=${otherCa}`],
  ] as const)
    test(`${what}: connects with TLS`, async (t) =>
      assert.equal(await connect(t, server, host, parameters), true));

  for (const [what, server, host, parameters] of [
    ["on loopback", named, "127.0.0.1", ""],
    ["sslmode=disable", plain, NAME, "?sslmode=disable"],
  ] as const)
    test(`${what}: connects without TLS`, async (t) =>
      assert.equal(await connect(t, server, host, parameters), false));

  for (const [what, server, host, parameters, message] of [
    ["no known authority", named, NAME, "", /server LOCALHOST is not trusted: .*sslrootcert=/],
    [
      "another authority",
      named,
      NAME,
      `?sslmode=verify-ca&sslrootcert=${otherCa}`,
      /is not trusted: .*sslrootcert=/,
    ],
    [
      "sslmode=require with an authority",
      named,
      NAME,
      `?sslmode=require&sslrootcert=${otherCa}`,
      /is not trusted/,
    ],
    [
      "another name",
      misnamed,
      NAME,
      `?sslrootcert=${ca}`,
      /is not trusted: .*db.example.*a name that its certificate has/,
    ],
    [
      "an address, with a certificate for localhost",
      misnamed,
      "127.0.0.1",
      `?sslrootcert=${ca}`,
      /is not trusted: .*127\.0\.0\.1/,
    ],
    ["a server without TLS", plain, NAME, "", /its TLS may be off.*sslmode=disable/],
  ] as const)
    test(`${what}: the start is refused with what to do`, (t) =>
      assert.rejects(connect(t, server, host, parameters), (error) => {
        assert.ok(error instanceof SetupError, String(error));
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /easel:/);
        return true;
      }));

  test("a certificate that is no longer trusted makes the database unavailable, as any lost connection", async (t) => {
    const changes: string[] = [];
    const url = `${named.url.replace("127.0.0.1", NAME)}/postgres?sslrootcert=${otherCa}`;
    const db = postgres(url, (change) => changes.push(change));
    atEnd(t, () => db.close());
    await assert.rejects(db.get`select 1`, Unavailable);
    await until("it is known to be away", () => changes.length > 0);
    assert.deepEqual(changes, ["away"]);
  });
});
