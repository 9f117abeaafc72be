type Task = () => Promise<void>;

/** Does one thing after the other. */
export class Tasks {
  readonly #waiting: Task[] = [];
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

  /** Does it after everything that was to be done before; not at all once the last one was added. */
  add(task: Task): void {
    if (this.#closed) return;
    this.#waiting.push(task);
    if (!this.#busy) void this.#work();
  }

  /** Does a last thing after what is being done; what waits for its turn is dropped. */
  addLast(task: Task): void {
    this.#waiting.length = 0;
    this.add(task);
    this.#closed = true;
  }

  async #work(): Promise<void> {
    this.#busy = true;
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
      try {
        await task();
      } catch (error) {
        this.#failed(error);
      }
    }
    this.#busy = false;
    this.#idle();
  }
}
