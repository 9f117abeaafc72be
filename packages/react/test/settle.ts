import type { TestContext } from "node:test";

/** Lets the mocked timers run for some time, by default longer than changes are gathered, and waits for all promises. */
export async function settle({ mock }: TestContext, ms = 50): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    await new Promise(setImmediate);
    mock.timers.tick(10);
  }
  await new Promise(setImmediate);
}
