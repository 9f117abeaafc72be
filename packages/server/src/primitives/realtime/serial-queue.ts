type Task = () => Promise<void>;

/** A task, and who is to know that it is done or dropped. */
interface Waiting {
  task: Task;
  over: () => void;
}

/** Does one thing after the other. */
export class SerialQueue {
  readonly #waiting: Waiting[] = [];
  readonly #failed: (error: unknown) => void;
  readonly #idle: () => void;
  #busy = false;
  #closed = false;

  /** `failed` gets what a task throws; `idle` is called whenever nothing is left to do. */
  constructor(failed: (error: unknown) => void, idle: () => void) {
    this.#failed = failed;
    this.#idle = idle;
  }

  /** How many wait for their turn. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Does it after everything that was to be done before; not at all once the last one was added. Resolved when it is over. */
  add(task: Task): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((over) => {
      this.#waiting.push({ task, over });
      if (!this.#busy) void this.#work();
    });
  }

  /** Does a last thing after what is being done; what waits for its turn is dropped. */
  addLast(task: Task): void {
    for (const { over } of this.#waiting.splice(0)) over();
    void this.add(task);
    this.#closed = true;
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await next.task();
      } catch (error) {
        this.#failed(error);
      }
      next.over();
    }
    this.#busy = false;
    this.#idle();
  }
}
