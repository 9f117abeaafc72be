import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { outputOf, startNode } from "./child.ts";
import { startEasel } from "./easel.ts";
import { openPage } from "./page.ts";
import { figure, median, type Table } from "./table.ts";

/** The size of the database, in bytes. */
const SIZE = 250_000_000;
/** Writes a second, each acknowledged by a commit to the disk. */
const RATE = 100;
const ROUNDS = 5;
/** For how long the writes are measured without a backup, in milliseconds. */
const QUIET_MS = 3_000;

/** Latencies of writes, in milliseconds. */
interface Latencies {
  median: number;
  longest: number;
}

/** Fills a database of the service up to a size with rows that nobody reads. */
function fill(file: string, bytes: number): void {
  const db = new DatabaseSync(file);
  db.exec(
    "pragma journal_mode=wal; create table filler (id integer primary key, content text not null); begin",
  );
  const insert = db.prepare("insert into filler (content) values (?)");
  for (let written = 0; written < bytes; written += 1_000) insert.run("x".repeat(1_000));
  db.exec("commit; pragma wal_checkpoint(truncate)");
  db.close();
}

/** Writes at a steady rate while `work` runs. A write that is late because the one before it was slow counts from when it was due. */
async function latenciesDuring(write: () => Promise<void>, work: Promise<unknown>): Promise<Latencies> {
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  const latencies: number[] = [];
  const pending: Promise<void>[] = [];
  for (let due = performance.now(); !over; due += 1_000 / RATE) {
    await sleep(Math.max(0, due - performance.now()));
    pending.push(write().then(() => void latencies.push(performance.now() - due)));
  }
  await Promise.all([ended, ...pending]);
  return { median: median(latencies), longest: Math.max(...latencies) };
}

/** Measures backups by the command while pages write, and for how long these writes wait. */
export async function backup(): Promise<Table> {
  const data = await mkdtemp(join(tmpdir(), "easel-bench-"));
  const settings = { SERVICE_DATA_DIR: data };
  const backups = join(data, "backups");
  const first = await startEasel("any", settings);
  await first.stop();
  fill(join(data, "easel.db"), SIZE);
  const easel = await startEasel("any", settings);
  try {
    const { size } = await stat(join(data, "easel.db"));
    const page = await openPage(easel.url);
    let written = 0;
    const write = async () => {
      const answer = await page.call("PUT", `/kv/key-${written++ % 100}`, String(written));
      await answer.arrayBuffer();
    };
    const rows: string[][] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const quiet = await latenciesDuring(write, sleep(QUIET_MS));
      const begun = performance.now();
      const during = await latenciesDuring(
        write,
        outputOf(startNode("any", "packages/server/start.js", ["backup", backups, "--keep", "1"], settings)),
      );
      const seconds = (performance.now() - begun) / 1_000;
      rows.push([
        `round ${round}`,
        ...[seconds, quiet.median, quiet.longest, during.median, during.longest].map((each) =>
          figure(each, 1),
        ),
      ]);
    }
    return {
      title: `backup: ${figure(size / 1e6)} MB of SQLite at ${RATE} writes a second`,
      conditions: `The command from its start to its end, on the disk of the database. Writes in ms. Node ${process.version}.`,
      columns: ["", "backup s", "write", "longest", "write amid it", "longest"],
      rows,
    };
  } finally {
    await easel.stop();
    await rm(data, { recursive: true, force: true });
  }
}
