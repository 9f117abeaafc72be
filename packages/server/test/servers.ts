import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PATIENCE_MS } from "@easel/conformance/patience";
import connect from "postgres";

/** Where tests find the throw-away PostgreSQL; unset when the machine has none. */
export const POSTGRES = "EASEL_TEST_POSTGRES";

let stop: (() => Promise<void>) | undefined;

/**
 * Runs once before the suite: one PostgreSQL on a free port, with data that is thrown away, and what the first test compiles
 * is kept for all others.
 */
export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= path.join(os.tmpdir(), "node-compile-cache");
  const programs = postgresPrograms();
  if (programs === undefined) {
    if (process.env.CI) throw new Error("PostgreSQL is not installed, and CI runs every test");
    process.stdout.write("PostgreSQL is not installed: its tests are skipped\n");
    return;
  }
  stop = await startPostgres(programs);
}

/** Runs once after the suite. */
export async function globalTeardown(): Promise<void> {
  await stop?.();
}

/** The directory of `initdb` and `postgres`: on the path, or where Debian puts them. */
function postgresPrograms(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const places = [
    ...(process.env.PATH ?? "").split(path.delimiter),
    ...versions.map((version) => path.join(debian, version, "bin")),
  ];
  return places.find((place) => existsSync(path.join(place, "initdb")));
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
function identity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (what: string) => Number(execFileSync("id", [what, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function startPostgres(programs: string): Promise<() => Promise<void>> {
  const as = identity();
  const home = mkdtempSync(path.join(os.tmpdir(), "easel-postgres-"));
  if (as.uid !== undefined && as.gid !== undefined) chownSync(home, as.uid, as.gid);
  const data = path.join(home, "data");
  // A language's collation, as many real databases have: order by bytes must not depend on it.
  const init = [
    "-D",
    data,
    "-U",
    "easel",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
    "--locale-provider=icu",
    "--icu-locale=en",
  ];
  execFileSync(path.join(programs, "initdb"), [...init, "--no-sync"], { ...as, cwd: home, stdio: "ignore" });
  const run = (port: number) =>
    spawn(
      path.join(programs, "postgres"),
      [
        "-D",
        data,
        "-p",
        String(port),
        "-h",
        "127.0.0.1",
        "-k",
        home,
        "-c",
        "fsync=off",
        "-c",
        "max_connections=300",
      ],
      { ...as, cwd: home, stdio: "ignore" },
    );
  for (let tries = 0; tries < 5; tries++) {
    const port = await freePort();
    const server = run(port);
    if (!(await answers(server, home, port))) continue;
    process.env[POSTGRES] = `postgres://easel@127.0.0.1:${port}`;
    return async () => {
      // The fast way down: open connections are ended.
      server.kill("SIGINT");
      await once(server, "exit");
      rmSync(home, { recursive: true, force: true });
    };
  }
  throw new Error("PostgreSQL does not start");
}

/** Whether it comes to answer, by the socket in its home, which is nobody else's; false where its port was taken meanwhile. */
async function answers(server: ChildProcess, home: string, port: number): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  while (server.exitCode === null) {
    const own = { host: home, port, user: "easel", database: "postgres" };
    const client = connect({ ...own, max: 1, connect_timeout: 2, onnotice() {} });
    try {
      await client`select 1`;
      return true;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    } finally {
      await client.end();
    }
  }
  return false;
}
