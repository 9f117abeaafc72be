import { readdirSync, readFileSync } from "node:fs";

const TICK_US = 10_000;

/** Returns the fields of `/proc/{pid}/stat` after the name of the process: its state, its parent, and so on. */
const statOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");

/** Returns the CPU time of all threads of a process, in microseconds; NaN on systems without `/proc`. */
export function cpuTime(pid: number): number {
  try {
    const fields = statOf(pid);
    return (Number(fields[11]) + Number(fields[12])) * TICK_US;
  } catch {
    return Number.NaN;
  }
}

/**
 * Returns the CPU time of a process and its children, in microseconds, including children that have ended; NaN on systems without `/proc`.
 * Reads the scheduler's nanoseconds, because many processes that each lose a part of a tick would distort the sum.
 */
export function cpuTimeOfFamily(pid: number): number {
  try {
    const fields = statOf(pid);
    const ended = (Number(fields[13]) + Number(fields[14])) * TICK_US;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").match(/\d+/g) ?? [];
    return [pid, ...children.map(Number)].reduce((sum, each) => sum + scheduled(each), ended);
  } catch {
    return Number.NaN;
  }
}

/** Returns the CPU time of all threads of a process, in microseconds; 0 if it has ended. */
function scheduled(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0])
      .reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1000, 0);
  } catch {
    return 0;
  }
}
