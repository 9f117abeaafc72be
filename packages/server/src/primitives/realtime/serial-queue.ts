type Task = () => Promise<void>;

interface Waiting {
  task: Task;
  /** Resolves the promise that `add` returned. */
  resolve: () => void;
}

/** Runs asynchronous tasks one after the other. */
export class SerialQueue {
  readonly #waiting: Waiting[] = [];
  readonly #onError: (error: unknown) => void;
  readonly #onIdle: () => void;
  #running = false;
  #closed = false;

  /** `onError` is called with each error that a task throws. `onIdle` is called whenever all tasks have run. */
  constructor(onError: (error: unknown) => void, onIdle: () => void) {
    this.#onError = onError;
    this.#onIdle = onIdle;
  }

  /** The number of tasks that have not been started. */
  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Adds a task. The promise resolves when the task has run, or when `addLast` has dropped the task. After `addLast` was called, new tasks
   * are ignored.
   */
  add(task: Task): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push({ task, resolve });
      if (!this.#running) void this.#run();
    });
  }

  /** Drops the tasks that have not been started, and adds a last one. */
  addLast(task: Task): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    void this.add(task);
    this.#closed = true;
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await next.task();
      } catch (error) {
        this.#onError(error);
      }
      next.resolve();
    }
    this.#running = false;
    this.#onIdle();
  }
}
