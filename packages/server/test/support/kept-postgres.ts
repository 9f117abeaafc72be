import { createHash } from "node:crypto";
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PATIENCE_MS } from "@easel/conformance/patience";
import connect from "postgres";
import { ROOT } from "../areas.ts";
import { startPostgres } from "./postgres-server.ts";

/** The directory of the server that is kept between runs: one for each user, in memory where that is possible. */
const HOME = path.join(
  existsSync("/dev/shm") ? "/dev/shm" : os.tmpdir(),
  `easel-kept-postgres-${process.getuid?.() ?? ""}`,
);
const URL_FILE = path.join(HOME, "url");
const DATA = path.join(HOME, "server");

async function answers(url: string): Promise<boolean> {
  const client = connect(`${url}/postgres`, { max: 1, connect_timeout: 5, onnotice() {} });
  try {
    await client`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

/** Returns the URL of the PostgreSQL server that is kept between runs, and starts it unless it runs. It listens on loopback only. */
export async function keptPostgres(programs: string): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      // The process that creates the directory starts the server; others wait for its URL.
      mkdirSync(HOME);
      chmodSync(HOME, 0o711);
      mkdirSync(DATA);
      const { url } = await startPostgres(programs, { home: DATA, isKept: true });
      writeFileSync(URL_FILE, url, { mode: 0o600 });
      return url;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const isStarted = existsSync(URL_FILE);
    const url = isStarted ? readFileSync(URL_FILE, "utf8") : "";
    if (url !== "" && (await answers(url))) return url;
    if (isStarted || Date.now() > deadline) await stopKeptPostgres();
    else await sleep(100);
  }
}

/** Stops the server that is kept, and removes its data. */
export async function stopKeptPostgres(): Promise<void> {
  const file = path.join(DATA, "data/postmaster.pid");
  const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0;
  try {
    if (pid > 0) process.kill(pid, "SIGINT");
    while (pid > 0 && existsSync(file)) await sleep(20);
  } catch {
    // The process has ended without removing its file.
  }
  rmSync(HOME, { recursive: true, force: true });
}

/** Returns the name of the database of a server that has the tables of the service, which `create` makes in an empty database. */
export async function templateOf(
  url: string,
  create: (databaseUrl: string) => Promise<void>,
): Promise<string> {
  const hash = createHash("sha256");
  for (const file of globSync("packages/server/migrations/**/*.sql", { cwd: ROOT }).sort())
    hash.update(file).update(readFileSync(path.join(ROOT, file)));
  const name = `template_${hash.digest("hex").slice(0, 16)}`;
  const admin = connect(`${url}/postgres`, { max: 1, onnotice() {} });
  try {
    const found = await admin`select 1 from pg_database where datname = ${name}`;
    if (found.length > 0) return name;
    const draft = `${name}_${process.pid}`;
    await admin.unsafe(`create database ${draft}`);
    await create(`${url}/${draft}`);
    await admin.unsafe(`alter database ${draft} rename to ${name}`).catch(async () => {
      // Another run was faster.
      await admin.unsafe(`drop database ${draft}`);
    });
    return name;
  } finally {
    await admin.end();
  }
}
