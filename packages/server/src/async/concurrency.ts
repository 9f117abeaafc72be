/** Limits the number of concurrent operations of each holder, such as a user. */
export class Concurrency {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts an operation of a holder. Returns the function to call at its end, or null if the holder has reached the limit. */
  begin(holder: string): (() => void) | null {
    const count = this.#counts.get(holder) ?? 0;
    if (count >= this.#limit) return null;
    this.#counts.set(holder, count + 1);
    return () => {
      const left = (this.#counts.get(holder) ?? 0) - 1;
      if (left > 0) this.#counts.set(holder, left);
      else this.#counts.delete(holder);
    };
  }
}
