import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** Timeout for expected events. It is long, because the machine may be busy, and affects only failing tests. */
export const PATIENCE_MS = 60_000;

/** Polls until a condition holds. */
export async function until(what: string, happened: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await happened())) {
    assert.ok(Date.now() < deadline, `${what}: not within ${PATIENCE_MS} ms`);
    await sleep(5);
  }
}
