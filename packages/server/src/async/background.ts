/**
 * Work that may continue after the response to its request has been sent. Before a stopping service closes its database and blob store, it
 * waits for this work.
 */
export class Background {
  readonly #running = new Set<Promise<unknown>>();

  /** Adds work. If the promise rejects, the error is ignored. */
  add(work: Promise<unknown>): void {
    const settled = work.catch(() => {}).finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }

  /** Resolves when no work is left, including work that is added meanwhile. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
