import type { TestEnv } from "./test-env.ts";

export const SECOND = 1000;
export const MINUTE_MS = 60 * SECOND;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Runs `work` while the service's clock is moved on by `ms` milliseconds. */
export async function later<Result>(env: TestEnv, ms: number, work: () => Promise<Result>): Promise<Result> {
  const { clock } = env;
  env.clock = () => clock() + ms;
  try {
    return await work();
  } finally {
    env.clock = clock;
  }
}

/** Runs `work` while the service's clock stands still. `later` can still move it on. */
export async function still<Result>(env: TestEnv, work: () => Promise<Result>): Promise<Result> {
  const { clock } = env;
  const now = clock();
  env.clock = () => now;
  try {
    return await work();
  } finally {
    env.clock = clock;
  }
}
