import { type OptimisticDb, StaleRows } from "../drivers/db/db.ts";
import type { Env } from "../env.ts";
import { Refusal } from "../http/refusal.ts";

/** How often a call is tried with rows from memory before it reads all of them anew. */
const TRIES = 3;

/**
 * Makes sure that the rows from memory on which a call relies are current. @throws StaleRows if one is not. Null if the call relies on none.
 */
export type Verify = (() => Promise<void> | undefined) | null;

/**
 * Performs a call, whose reads of access may come from memory. If it turns out that a row was stale, performs the call again. Neither a
 * result nor a `Refusal` leaves this function before the rows are verified (decision 078). Until its first statement has succeeded or
 * `verify` has, `work` must have no effect outside of the process, and must bear to be repeated.
 */
export function optimistically<Result>(
  env: Env,
  work: (env: Env, verify: Verify) => Promise<Result>,
): Promise<Result> {
  const db = env.db.optimistic();
  return db === null ? work(env, null) : repeated(env, db, work);
}

/** Returns the context with another database. The context is its prototype, because a copy of all its parts for each call can be measured. */
const withDb = (env: Env, db: OptimisticDb): Env =>
  Object.create(env, { db: { value: db, enumerable: true } });

async function repeated<Result>(
  env: Env,
  first: OptimisticDb,
  work: (env: Env, verify: Verify) => Promise<Result>,
): Promise<Result> {
  let db: OptimisticDb | null = first;
  for (let tries = 1; db !== null; tries++) {
    const current: OptimisticDb = db;
    try {
      const result = await work(withDb(env, current), () => current.verify());
      const unverified = current.verify();
      if (unverified !== undefined) await unverified;
      return result;
    } catch (error) {
      if (await isCurrent(error, current)) throw error;
    }
    db = tries < TRIES ? env.db.optimistic() : null;
  }
  return work(env, null);
}

/** Whether an error may leave: a `Refusal` only if it was decided from current rows. */
async function isCurrent(error: unknown, db: OptimisticDb): Promise<boolean> {
  if (error instanceof StaleRows) return false;
  if (!(error instanceof Refusal)) return true;
  try {
    await db.verify();
    return true;
  } catch (failed) {
    if (failed instanceof StaleRows) return false;
    throw failed;
  }
}
