import type { TestContext } from "node:test";

/** Moves the mocked timers on by `ms` milliseconds and waits for all promises. The default is longer than live data waits before a read. */
export async function settle({ mock }: TestContext, ms = 50): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    await new Promise(setImmediate);
    mock.timers.tick(10);
  }
  await new Promise(setImmediate);
}
