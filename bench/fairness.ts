import { setTimeout as sleep } from "node:timers/promises";
import { ATTACKS } from "../packages/server/test/fairness/attacks.ts";
import { type Fairness, type Outcomes, openFairness } from "../packages/server/test/fairness/open.ts";
import { readTurns } from "../packages/server/test/fairness/turns.ts";
import { p99, type Times, work } from "../packages/server/test/fairness/victim.ts";
import { figure, median, type Table } from "./table.ts";

const SECONDS = Number(process.env.FAIRNESS_SECONDS ?? 12);
/** An odd number, because medians are printed. */
const ROUNDS = Number(process.env.FAIRNESS_ROUNDS ?? 3);
const REST_MS = 3_000;
const TARGETS = ["< 250", "< 250", "< 250", "< 250", "< 50", "< 50", ""];

const formatted = (statuses: Record<string, number> = {}) =>
  Object.entries(statuses)
    .map(([status, count]) => `${count}×${status === "0" ? "closed" : status}`)
    .join(" ");

/**
 * Measures what one member who attacks costs another who works as usual: each attack alone, then all at once. The attacks run in a process
 * of their own, at a lower priority. Prints medians of several rounds,
 * each with people of its own, and the largest turn of all rounds.
 */
export async function fairness(): Promise<Table> {
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const opened = await openFairness({ after: (end) => void ends.push(end) });
    const only = process.env.FAIRNESS_ATTACKS?.split(",");
    const isMeasured = (name: string) => only?.includes(name) ?? true;
    const all = ATTACKS.map(({ name }) => name);
    const rows = [["target", ...TARGETS], await measure("none", [], opened)];
    for (const name of all.filter(isMeasured)) rows.push(await measure(name, [name], opened));
    if (isMeasured("all at once")) rows.push(await measure("all at once", all, opened));
    return {
      title: "fairness: p99 of a member's requests while another one attacks, and the longest turn, in ms",
      conditions: `Medians of ${ROUNDS} rounds of ${SECONDS} s for each attack, from its first request. Rate limits are ten times the default. A turn is CPU time of the main thread. Node ${process.version}.`,
      columns: [
        "attack",
        "page",
        "write",
        "deploy",
        "sign-in",
        "longest turn",
        "largest",
        "responses to the attack",
      ],
      rows,
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** What one round found: the 99th percentiles in ms, or the error that ended the victim's work. */
interface Round {
  times: Record<keyof Times, number> | Error;
  longestTurnMs: number;
  outcomes: Outcomes;
}

async function round(names: string[], { service, populate, attack }: Fairness): Promise<Round> {
  const site = await populate();
  await readTurns(service.pid);
  const stop = attack(site, names);
  const times = await work(site, SECONDS * 1000).catch((error: Error) => error);
  const { longestTurnMs } = await readTurns(service.pid);
  const outcomes = await stop();
  await sleep(REST_MS);
  if (times instanceof Error) return { times, longestTurnMs, outcomes };
  const { page, write, deploy, "sign-in": signIn } = times;
  return {
    times: { page: p99(page), write: p99(write), deploy: p99(deploy), "sign-in": p99(signIn) },
    longestTurnMs,
    outcomes,
  };
}

async function measure(label: string, names: string[], opened: Fairness): Promise<string[]> {
  const times: Record<keyof Times, number>[] = [];
  const turns: number[] = [];
  let seen = "";
  for (let index = 0; index < ROUNDS; index++) {
    const { longestTurnMs, outcomes, ...found } = await round(names, opened);
    if (found.times instanceof Error)
      return [label, found.times.message, "", "", "", figure(longestTurnMs), "", seen];
    times.push(found.times);
    turns.push(longestTurnMs);
    if (names.length === 1) seen = formatted(outcomes[names[0] ?? ""]);
  }
  const kinds = ["page", "write", "deploy", "sign-in"] as const;
  return [
    label,
    ...kinds.map((kind) => figure(median(times.map((each) => each[kind])))),
    figure(median(turns)),
    figure(Math.max(...turns)),
    seen,
  ];
}
