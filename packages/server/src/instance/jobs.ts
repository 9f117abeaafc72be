import { setTimeout as sleep } from "node:timers/promises";
import { type Db, sql } from "../drivers/db/db.ts";
import { keepLease, type Lease } from "./lease.ts";

/** The time between two attempts to begin a job that another process does, in milliseconds. */
const RETRY_MS = 500;

interface Jobs {
  db: Db;
  lease: Lease;
}

interface Options {
  /** The job is skipped if a process has finished it within this time, in milliseconds. */
  every?: number;
  /** Ends the wait for another process. */
  stop?: AbortSignal;
}

/**
 * Does work that only one process of the instance does at a time. Waits while another process does it, until that one has finished or its
 * lease has expired. `signal` aborts when this process has lost the job, because it could not renew its lease in time: the work must then
 * end at its next step. Returns false if the work was skipped, or `stop` has ended the wait.
 */
export async function alone(
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  { db, lease }: Jobs,
  { every = 0, stop }: Options = {},
): Promise<boolean> {
  const held = `job ${name}`;
  for (;;) {
    const begun = lease.held.has(held) ? "busy" : await begin(name, held, every, { db, lease });
    if (begun === "recent") return false;
    if (begun === "begun") break;
    await sleep(RETRY_MS, undefined, { ref: false, signal: stop }).catch(() => {});
    if (stop?.aborted) return false;
  }
  const lost = new AbortController();
  const endChecks = lease.afterDatabase(async () => {
    const row = await db.get<{ lease: string | null }>`select lease from jobs where name = ${name}`;
    if (row?.lease !== lease.id) lost.abort();
  });
  try {
    await work(lost.signal);
    await db.withReserve.run`
      update jobs set lease = null, finished_at = (select now from database_clock) where name = ${name} and lease = ${lease.id}`;
  } catch (error) {
    // If this fails, too, the job is free when the lease has expired.
    await db.withReserve.run`update jobs set lease = null where name = ${name} and lease = ${lease.id}`.catch(
      () => {},
    );
    throw error;
  } finally {
    endChecks();
    lease.held.delete(held);
  }
  return true;
}

/** Takes a job for this process: `busy` if a process with a live lease has it, `recent` if it was finished less than `every` ago. */
async function begin(
  name: string,
  held: string,
  every: number,
  { db, lease }: Jobs,
): Promise<"begun" | "busy" | "recent"> {
  // Held before the row says so, so that no renewal is left out between the two.
  lease.held.add(held);
  let begun = false;
  try {
    const steps = [
      keepLease(lease.id),
      // Locks the row. The next statement then sees the lease of a process that has taken the job meanwhile.
      sql`insert into jobs (name) values (${name}) on conflict (name) do update set name = excluded.name`,
      sql`
        update jobs set lease = ${lease.id} where name = ${name}
          and (lease is null or lease = ${lease.id} or lease not in (select id from live_leases))
          and (finished_at is null or finished_at <= (select now from database_clock) - ${every})`,
    ];
    begun = (await db.withReserve.batch(steps)) === "done";
    if (begun) return "begun";
    const recent = await db.get`
      select 1 as found from jobs where name = ${name} and finished_at > (select now from database_clock) - ${every}`;
    return recent === undefined ? "busy" : "recent";
  } finally {
    if (!begun) lease.held.delete(held);
  }
}
