import type { TaskPool } from "./task-pool.ts";

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

/** A piece of work. `signal` aborts when the process stops. */
export type Task = (signal: AbortSignal) => Promise<void>;

/**
 * Does the work of people in the background, of which a list outside of the process, such as a table, says what is left. The work of a
 * person is done one task after the other; the people take turns in the pool.
 */
export class WorkLists {
  readonly #pool: TaskPool;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  /** The people whose lists have to be read, again if their work is running. */
  readonly #woken = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();

  /** `onError` is called when the list of a person cannot be read, or a task fails. Then the person's work ends until `wake`. */
  constructor(pool: TaskPool, onError: (error: unknown) => void) {
    this.#pool = pool;
    this.#onError = onError;
  }

  /**
   * Begins to do the work of a person, unless it is running already. Call this when the list may have become longer. `next` reads the next
   * tasks of the list, which has to become shorter by each, and returns none if nothing is left.
   */
  wake(person: string, next: () => Promise<Task[]>): void {
    if (this.#stop.signal.aborted) return;
    this.#woken.add(person);
    if (this.#running.has(person)) return;
    const work = this.#work(person, next)
      .catch((error) => {
        if (!this.#stop.signal.aborted) this.#onError(error);
      })
      .finally(() => this.#running.delete(person));
    this.#running.set(person, work);
  }

  /** Resolves when no work is left, or the rest has failed. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Stops as soon as the running tasks have ended, which it aborts. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.settled();
  }

  async #work(person: string, next: () => Promise<Task[]>): Promise<void> {
    while (this.#woken.delete(person)) {
      for (let tasks = await next(); tasks.length > 0; tasks = await next())
        for (const task of tasks) await this.#pool.run(person, task, this.#stop.signal);
    }
  }
}
