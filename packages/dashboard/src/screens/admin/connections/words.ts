import type { ConnectionProfile, ProfileUsage } from "../../../api/types.ts";
import { bytesOf } from "../../../kit/bytes.ts";
import { countOf, listOf } from "../../../kit/words.ts";

const number = new Intl.NumberFormat("en");
const sum = (counts: Record<string, number>) =>
  Object.values(counts).reduce((total, each) => total + each, 0);

/** Returns the cells of a day: its calls, those that failed, and the duration within which half of them ended. */
export function callAmounts({ calls, responses, failures, latency }: ProfileUsage["days"][number]): string[] {
  const failed = sum(failures) + (responses["5xx"] ?? 0);
  return [
    number.format(calls),
    number.format(failed),
    latency === null ? "–" : `${number.format(latency.p50Ms)} ms`,
  ];
}

type Grant = ConnectionProfile["grants"][number];

/** Returns who may use a Connection on a canvas, and their limits. */
export function grantWords({ public: open, guests, limits }: Grant): string {
  const others = [...(guests ? ["guests"] : []), ...(open ? ["visitors of the public link"] : [])];
  if (others.length === 0) return "Members";
  const bounds = [
    ...(limits.methods === undefined ? [] : [`only ${listOf(limits.methods)}`]),
    ...(limits.paths === undefined ? [] : [`only ${countOf(limits.paths.length, "path")}`]),
    ...(limits.requestsPerDay === undefined ? [] : [`${countOf(limits.requestsPerDay, "request")} a day`]),
  ];
  const limited = bounds.length === 0 ? "" : `; these: ${listOf(bounds)}`;
  return `${listOf(["Members", ...others])}${limited}`;
}

/** How a test call ended, in words. */
export function testWords({
  status,
  message,
  ms,
  bytes,
}: {
  status: number | null;
  message: string | null;
  ms: number;
  bytes: number;
}): string {
  const took = `${number.format(ms)} ms`;
  return status === null
    ? `${message ?? "There was no response."} (${took})`
    : `The server answered ${status} with ${bytesOf(bytes)} in ${took}.`;
}
