import { readFileSync } from "node:fs";

const TICK_US = 10_000;

/** Returns the CPU time of all threads of a process, in microseconds; NaN on systems without `/proc`. */
export function cpuTime(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_US;
  } catch {
    return Number.NaN;
  }
}
