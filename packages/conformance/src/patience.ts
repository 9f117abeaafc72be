import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** How long is waited for what must come. It decides only how long a failing test takes: the machine may have much else to do. */
export const PATIENCE_MS = 60_000;

/** Waits for something that does not say when it happens. */
export async function until(what: string, happened: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await happened())) {
    assert.ok(Date.now() < deadline, `${what}: not within ${PATIENCE_MS} ms`);
    await sleep(5);
  }
}
