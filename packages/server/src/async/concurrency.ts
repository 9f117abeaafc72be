/** Counts what is under way for each of many holders, up to a limit for each. */
export class Concurrency {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Begins one more for a holder; answers the function that ends it, or null when the limit is reached. */
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
