/** Identifies a sum: the values of the columns under which it will be stored. */
type Key = readonly (string | number)[];

/** A number of calls, and the sum of their durations in ms. */
interface Sum {
  key: Key;
  calls: number;
  ms: number;
}

/** Adds up calls and their durations in memory by key, until the sums are taken to be stored. */
export class Tally {
  #sums = new Map<string, Sum>();

  add(key: Key, calls: number, ms: number): void {
    const name = JSON.stringify(key);
    const sum = this.#sums.get(name);
    if (sum === undefined) return void this.#sums.set(name, { key, calls, ms });
    sum.calls += calls;
    sum.ms += ms;
  }

  /** Returns all sums and begins again at zero. */
  take(): Sum[] {
    const sums = [...this.#sums.values()];
    this.#sums.clear();
    return sums;
  }
}
