/*
 * Shifts the clock of a process that loads this module with `--import`: by EASEL_TEST_CLOCK_MS milliseconds, and from the start on by
 * EASEL_TEST_CLOCK_RATE milliseconds for each. Timers and `performance.now()` stay as they are.
 */
const OFFSET_MS = Number(process.env.EASEL_TEST_CLOCK_MS ?? 0);
const RATE = Number(process.env.EASEL_TEST_CLOCK_RATE ?? 0);

const realNow = Date.now;
const started = realNow();

const now = () => {
  const real = realNow();
  return Math.round(real + OFFSET_MS + (real - started) * RATE);
};

Date.now = now;
globalThis.Date = new Proxy(Date, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
});
