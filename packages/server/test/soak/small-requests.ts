import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeHeavy } from "../fairness/heavy.ts";
import { openFairness } from "../fairness/open.ts";
import { signInPeople, usePages } from "../fairness/people.ts";
import { readTurns } from "../fairness/turns.ts";
import { p99 } from "../fairness/victim.ts";

const PEOPLE = 10;
const SECONDS = Number(process.env.SOAK_SECONDS ?? 60);
/** How much longer the slowest requests of others may take. */
const MOST_SLOWER = 3;
const MOST_HEALTH_MS = 1_000;
const IDLE_WITHIN_MS = 2_000;
/** The share of a processor up to which a service counts as idle. */
const IDLE_SHARE = 0.1;

/** Returns the CPU time of a process in milliseconds. The fields after the name in parentheses begin with the third; a tick is 10 ms. */
function cpuOf(pid: number): number {
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = rest.split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Asks for the health of a service again and again until the signal aborts. Returns the longest time of an answer in milliseconds. */
async function longestHealth(base: string, signal: AbortSignal): Promise<number> {
  let longest = 0;
  while (!signal.aborted) {
    const start = performance.now();
    const { status } = await fetch(`${base}/healthz`);
    assert.equal(status, 200);
    longest = Math.max(longest, performance.now() - start);
    await sleep(200);
  }
  return longest;
}

/** The rate limit of the management API is empty after this time. */
const MINUTE_MS = 61_000;

test(`${SECONDS} s of small requests with much work, by one person, keep ten others no more than ${MOST_SLOWER} times as long`, {
  skip: process.platform !== "linux" && "reads /proc",
  timeout: SECONDS * 4_000 + 500_000,
}, async (t) => {
  const { service, populate, attack } = await openFairness(t, {});
  const plain = await populate(0);
  const people = await signInPeople(plain, PEOPLE);
  const site = { ...plain, heavy: await makeHeavy(plain) };
  // Code that runs for the first time is slow.
  await usePages(site, people, 5_000);
  const rehearse = attack(site, ["a burst of small requests"]);
  await sleep(8_000);
  await rehearse();
  await sleep(MINUTE_MS);
  const idle = await usePages(site, people, SECONDS * 1_000);

  /** Lets people use pages under an attack. Returns how much longer the slowest of their requests take than before. */
  const under = async (name: string): Promise<number> => {
    await readTurns(service.pid);
    const over = new AbortController();
    const health = longestHealth(service.base, over.signal);
    const used = cpuOf(service.pid);
    const stop = attack(site, [name]);
    const busy = await usePages(site, people, SECONDS * 1_000);
    t.diagnostic(JSON.stringify(await stop()));
    const percent = Math.round((cpuOf(service.pid) - used) / SECONDS / 10);
    over.abort();
    const { longestTurnMs } = await readTurns(service.pid);
    const slowestHealth = await health;
    t.diagnostic(
      `${percent} % of a processor, longest turn ${longestTurnMs.toFixed(0)} ms, /healthz at most ${slowestHealth.toFixed(0)} ms`,
    );
    assert.ok(slowestHealth < MOST_HEALTH_MS, "/healthz answers within a second");
    await sleep(IDLE_WITHIN_MS);
    const before = cpuOf(service.pid);
    await sleep(1_000);
    const share = (cpuOf(service.pid) - before) / 1_000;
    assert.ok(share < IDLE_SHARE, `the service is idle again: ${share}`);
    for (const [kind, some] of Object.entries(idle)) ratioOf(kind, some, busy[kind as keyof typeof busy]);
    return ratioOf("all", Object.values(idle).flat(), Object.values(busy).flat());
  };
  const ratioOf = (name: string, some: number[], others: number[]): number => {
    const [quiet, loud] = [p99(some), p99(others)];
    const times = `p99 ${quiet.toFixed(1)} ms idle, ${loud.toFixed(1)} ms under attack`;
    t.diagnostic(`${name}: ${times}, ratio ${(loud / quiet).toFixed(2)}`);
    return loud / quiet;
  };
  // A burst uses the allowance of a minute within seconds; what it costs others is told, and no more.
  await under("a burst of small requests");
  await sleep(MINUTE_MS);
  const ratio = await under("small requests at the rate of the limits");
  assert.ok(ratio <= MOST_SLOWER, `${ratio}`);
});
