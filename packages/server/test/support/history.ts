/*
 * Checks whether what clients saw is linearizable: as if each operation had happened at one moment between its start and its end. With
 * unique values this is exact and needs no search. Times are of one clock, in any unit.
 */

/** An operation of a client. One that failed without saying whether it took effect has the end `Infinity`. */
interface Operation {
  start: number;
  end: number;
}

/** An increment by one, with the value that it returned; undefined if the client does not know it. */
export interface Increment extends Operation {
  value: number | undefined;
}

/** A write or read of a register. Each write has a value of its own; a read of a register that was never written has `undefined`. */
export interface Access extends Operation {
  kind: "write" | "read";
  value: number | undefined;
}

/**
 * Returns the violations of a history of increments of a counter that began at 0 and holds `last` in the end. It is linearizable exactly if
 * the values are different ones of 1 to `last`, none is larger than one that was returned before it began, and the missing values are of
 * increments without an answer, each of which began before a larger value was known.
 */
export function faultsOfCounter(history: Increment[], last: number): string[] {
  const known = history.filter((each) => each.value !== undefined) as (Increment & { value: number })[];
  const byValue = new Map(known.map((each) => [each.value, each]));
  const faults: string[] = [];
  if (byValue.size < known.length) faults.push(`${known.length - byValue.size} values were returned twice`);
  for (const value of byValue.keys())
    if (!(Number.isInteger(value) && value >= 1 && value <= last))
      faults.push(`${value} is not of 1 to ${last}`);
  const unanswered = history.filter(({ value }) => value === undefined).map(({ start }) => start);
  const missing = last - byValue.size;
  if (missing > unanswered.length)
    faults.push(`${known.length} answered and ${unanswered.length} others made ${last}`);
  // From the largest value down: each began before any larger value was known. Those without an answer fill the gaps in their order.
  const fillers = unanswered.sort((a, b) => a - b).slice(0, Math.max(0, missing));
  let earliestEnd = Infinity;
  for (let value = last; value >= 1 && faults.length === 0; value--) {
    const { start, end } = byValue.get(value) ?? { start: fillers.pop() as number, end: Infinity };
    if (earliestEnd < start) faults.push(`${value} began when a larger value was known`);
    earliestEnd = Math.min(earliestEnd, end);
  }
  return faults;
}

/** The operations of one value: from the earliest end to the latest start all of them agree that the register holds it, or the reverse. */
interface Zone {
  value: number | undefined;
  from: number;
  to: number;
  /** Whether the value was certainly held from `from` to `to`. Otherwise it was held at one moment at least between them. */
  isForward: boolean;
}

/**
 * Returns the violations of a history of one register, which was never written before. It is linearizable exactly if each read follows the
 * start of its write, no two forward zones overlap, and no backward zone is within a forward one
 * (Gibbons and Korach, Testing Shared Memories, 1997).
 */
export function faultsOfRegister(history: Access[]): string[] {
  const faults: string[] = [];
  const groups = Map.groupBy(history, ({ value }) => value);
  const zones: Zone[] = [];
  for (const [value, group] of groups) {
    const writes = group.filter(({ kind }) => kind === "write");
    const reads = group.filter(({ kind }) => kind === "read");
    // A write without an answer that nobody has read may never have happened, or happen at any time.
    if (reads.length === 0 && writes.every(({ end }) => end === Infinity)) continue;
    if (value === undefined) writes.push({ kind: "write", value, start: -Infinity, end: -Infinity });
    const [write] = writes;
    if (write === undefined) {
      faults.push(`${value} was read, and nobody wrote it`);
      continue;
    }
    if (writes.length > 1) throw new Error(`${value} was written twice: the check needs unique values`);
    for (const { end } of reads)
      if (end < write.start) faults.push(`${value} was read before it was written`);
    const all = [write, ...reads];
    const [end, start] = [
      Math.min(...all.map((each) => each.end)),
      Math.max(...all.map((each) => each.start)),
    ];
    zones.push({ value, from: Math.min(end, start), to: Math.max(end, start), isForward: end < start });
  }
  const forward = zones.filter(({ isForward }) => isForward).sort((a, b) => a.from - b.from);
  for (const [at, zone] of forward.entries()) {
    const next = forward[at + 1];
    if (next !== undefined && next.from < zone.to)
      faults.push(
        `${next.value} was held while ${zone.value} was: the latter was read after it was replaced`,
      );
  }
  for (const zone of zones.filter(({ isForward }) => !isForward)) {
    const around = forward.find(({ from, to }) => from < zone.from && zone.to < to);
    if (around !== undefined) faults.push(`${zone.value} was written within the time of ${around.value}`);
  }
  return faults;
}
