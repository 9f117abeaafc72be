import type { TestContext } from "node:test";

/** Moves the mocked timers on by `ms` milliseconds and waits for all promises. The default is longer than live data waits before a read. */
export async function settle({ mock }: TestContext, ms = 50): Promise<void> {
  const tick = Math.max(10, ms / 100);
  for (let passed = 0; passed < ms; passed += tick) {
    await new Promise(setImmediate);
    mock.timers.tick(tick);
  }
  await new Promise(setImmediate);
}
