/** Work that may go on after the response to its request. A service that stops waits for it before it closes its stores. */
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
