import { LIMITS } from "@easel/protocol/limits";

const WINDOW_MS = 60_000;
const OTHERS = LIMITS.framesPerMinute.value;

/** The maximum number of refused frames in one window. Above it, the connection is closed. */
const MAX_REFUSED = 1_000;

/**
 * Limits the frames that a connection sends per minute. `publishes` is the limit for frames that publish a message. The limit for all other
 * frames together is six times as high, and at least 600.
 */
export class RateMeter {
  readonly #mostPublishes: number;
  readonly #mostOthers: number;
  #endsAt = 0;
  #publishes = 0;
  #others = 0;

  constructor(publishes: number) {
    this.#mostPublishes = publishes;
    this.#mostOthers = Math.max(OTHERS, publishes * (OTHERS / LIMITS.publishesPerMinute.value));
  }

  /**
   * Counts a frame at the time `now`, in epoch milliseconds. Returns `flood` if so many frames were refused in this window that the caller
   * must close the connection.
   */
  count(kind: "publish" | "other", now: number): "allowed" | "refused" | "flood" {
    // A clock that is set back must not extend a window.
    if (now >= this.#endsAt || now < this.#endsAt - WINDOW_MS) {
      this.#endsAt = now + WINDOW_MS;
      this.#publishes = 0;
      this.#others = 0;
    }
    const allowed =
      kind === "publish" ? ++this.#publishes <= this.#mostPublishes : ++this.#others <= this.#mostOthers;
    if (allowed) return "allowed";
    const refused =
      Math.max(0, this.#publishes - this.#mostPublishes) + Math.max(0, this.#others - this.#mostOthers);
    return refused > MAX_REFUSED ? "flood" : "refused";
  }
}

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
