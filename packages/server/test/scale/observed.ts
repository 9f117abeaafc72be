import { setTimeout as sleep } from "node:timers/promises";
import { stage } from "@easel/conformance/fixture";
import type { Target } from "@easel/conformance/target";
import { askPage } from "./ask.ts";
import { Places } from "./places.ts";
import { Rights } from "./rights.ts";
import { Uploads } from "./uploads.ts";
import { type Timed, Writes } from "./writes.ts";

/** The limit of AI requests of a person in a minute, which `limits` meets. All other limits are out of reach. */
export const LIMIT = 10;

export const SETTINGS = {
  SERVICE_RATELIMIT_CANVAS_API_PER_MIN: "1000000000",
  SERVICE_RATELIMIT_MANAGEMENT_PER_MIN: "1000000000",
  SERVICE_RATELIMIT_LOGIN_PER_MIN: "1000000000",
  SERVICE_RATELIMIT_ENABLED: "on",
  SERVICE_RATELIMIT_AI_PER_MIN: String(LIMIT),
};

/** The time after a fault within which requests must be as fast as before it, and how long that is measured, in milliseconds. */
const BACK_MS = 5_000;
const MEASURED_MS = 5_000;
/** The time before a fault in which everything works. */
const CALM_MS = 4_000;

/** What a run must not show, as what is wrong; and what was seen. */
export interface Observed {
  wrong: string[];
  seen: string;
}

/** Sends three times as many requests as allowed at once, over all nodes in turn. Returns how many were allowed. */
export async function allowed(targets: Target[]): Promise<number> {
  const { slug, people } = await stage(targets[0] as Target);
  const answers = await Promise.all(
    Array.from({ length: 3 * LIMIT }, (_, at) =>
      askPage(targets[at % targets.length] as Target, slug, people.viewer, "POST", "/ai/chat", {}),
    ),
  );
  return answers.filter((answer) => answer !== undefined && answer.status !== 429 && answer.status !== 503)
    .length;
}

function p99(times: Timed[], from: number, to: number): number {
  const sorted = times
    .filter(({ at, ok }) => ok && at >= from && at < to)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

/** Lets clients work on all nodes before, during and after `fault`, and checks all that they have seen. */
export async function observe(
  targets: Target[],
  fault: () => Promise<Observed | undefined>,
): Promise<Observed> {
  const [here, there] = [targets[0] as Target, targets.at(-1) as Target];
  const writes = await Writes.start(targets);
  // The node that changes rights is not the one that may be killed.
  const rights = await Rights.start(there, here);
  const places = await Places.start(targets);
  const uploads = await Uploads.start(targets);
  await sleep(CALM_MS);
  const begun = performance.now();
  const own = await fault();
  const over = performance.now();
  await sleep(BACK_MS + MEASURED_MS);
  const back = over + BACK_MS;
  const before = p99(writes.times, begun - CALM_MS / 2, begun);
  const after = p99(writes.times, back, back + MEASURED_MS);
  const failures = writes.times.filter(({ at, ok }) => at >= back && !ok).length;
  const answered = writes.times.find(({ at, ok }) => ok && at >= over)?.at ?? Number.NaN;
  const [{ decided, stale, refused, changes }, uploaded] = [await rights.stop(), await uploads.stop()];
  await places.stop();
  const written = await writes.stop();
  const passed = await allowed(targets);

  const wrong: string[] = [...(own?.wrong ?? [])];
  const must = (holds: boolean, what: string) => void (holds || wrong.push(what));
  must(written.lost + uploaded.lost === 0, `${written.lost} writes and ${uploaded.lost} files lost`);
  must(
    written.invented + uploaded.invented === 0,
    `${written.invented} values and ${uploaded.invented} files that nobody wrote`,
  );
  must(written.faults.length === 0, `not linearizable: ${written.faults.slice(0, 3).join("; ")}`);
  must(
    written.refusals.length === 0,
    `${written.refusals.length} writes refused: ${written.refusals.slice(0, 2).join("; ")}`,
  );
  must(stale === 0, `${stale} stale decisions`);
  must(refused === 0, `${refused} refused who had the right`);
  must(places.most <= 30, `${places.most} connections of a canvas`);
  must(passed === LIMIT, `${passed} requests passed a limit of ${LIMIT}`);
  must(failures === 0, `${failures} requests failed 5 s after the fault`);
  must(after <= Math.max(3 * before, 100), `p99 ${after.toFixed(0)} ms after, ${before.toFixed(0)} before`);
  const seen = [
    `${written.acknowledged} writes acknowledged and ${written.unanswered} without an answer, ${written.lost} lost, ${written.invented} invented`,
    `${uploaded.acknowledged} files, ${uploaded.lost} lost`,
    `${decided} decided in ${changes} changes of rights, ${stale} stale, ${refused} wrongly refused`,
    `at most ${places.most} of 30 connections in ${places.samples} samples, ${places.entered} entered`,
    `${passed} of a limit of ${LIMIT}`,
    `first success ${(answered - over).toFixed(0)} ms after the fault, p99 ${before.toFixed(0)} ms before, ${after.toFixed(0)} after`,
    ...(own === undefined ? [] : [own.seen]),
  ].join("; ");
  return { wrong, seen };
}
