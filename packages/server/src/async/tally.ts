/** The values that identify a sum, such as canvas id, profile and day. They become the primary key of its row in the database. */
type Key = readonly (string | number)[];

/** A number of calls, and the sum of their durations in ms. */
interface Sum {
  key: Key;
  calls: number;
  ms: number;
}

/** Keeps in memory, for each key, the number of calls and the sum of their durations. */
export class Tally {
  #sums = new Map<string, Sum>();

  add(key: Key, calls: number, ms: number): void {
    const name = JSON.stringify(key);
    const sum = this.#sums.get(name);
    if (sum === undefined) return void this.#sums.set(name, { key, calls, ms });
    sum.calls += calls;
    sum.ms += ms;
  }

  /** Returns all sums and forgets them. */
  take(): Sum[] {
    const sums = [...this.#sums.values()];
    this.#sums.clear();
    return sums;
  }
}
