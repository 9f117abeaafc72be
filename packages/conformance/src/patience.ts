import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds that a test waits for an expected event before it fails. The value is large because the machine may be busy. */
export const PATIENCE_MS = 60_000;

/** Calls `happened` every 5 ms until it returns true. Fails after `PATIENCE_MS`, with `what` as the name of the condition. */
export async function until(what: string, happened: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await happened())) {
    assert.ok(Date.now() < deadline, `${what}: not within ${PATIENCE_MS} ms`);
    await sleep(5);
  }
}
