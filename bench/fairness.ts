import { setTimeout as sleep } from "node:timers/promises";
import { ATTACKS } from "../packages/server/test/fairness/attacks.ts";
import { type Fairness, type Outcomes, openFairness } from "../packages/server/test/fairness/open.ts";
import { readTurns } from "../packages/server/test/fairness/turns.ts";
import { p99, type Times, work } from "../packages/server/test/fairness/victim.ts";
import { figure, type Table } from "./table.ts";

const SECONDS = Number(process.env.FAIRNESS_SECONDS ?? 12);
const WARM_UP_MS = 2_000;
const REST_MS = 3_000;
const TARGETS = ["< 250", "< 250", "< 250", "< 250", "< 50", ""];

const formatted = (statuses: Record<string, number> = {}) =>
  Object.entries(statuses)
    .map(([status, count]) => `${count}×${status === "0" ? "closed" : status}`)
    .join(" ");

/**
 * Measures what one member who attacks costs another who works as usual: each attack alone, then all at once. The attacks run in a process
 * of their own, at a lower priority.
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
      conditions: `${SECONDS} s for each attack after ${WARM_UP_MS / 1000} s. Rate limits are ten times the default. A turn is CPU time of the main thread. Node ${process.version}.`,
      columns: ["attack", "page", "write", "deploy", "sign-in", "longest turn", "responses to the attack"],
      rows,
    };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function measure(
  label: string,
  names: string[],
  { site, service, attack }: Fairness,
): Promise<string[]> {
  const stop = attack(names);
  await sleep(WARM_UP_MS);
  await readTurns(service.pid);
  const times: Times | Error = await work(site, SECONDS * 1000).catch((error: Error) => error);
  const { longestTurnMs } = await readTurns(service.pid);
  const outcomes: Outcomes = await stop();
  await sleep(REST_MS);
  const seen = names.length === 1 ? formatted(outcomes[names[0] ?? ""]) : "";
  if (times instanceof Error) return [label, times.message, "", "", "", figure(longestTurnMs), seen];
  const { page, write, deploy, "sign-in": signIn } = times;
  return [
    label,
    ...[page, write, deploy, signIn].map((each) => figure(p99(each))),
    figure(longestTurnMs),
    seen,
  ];
}
