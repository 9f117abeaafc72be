import { ERRORS } from "@easel/protocol/errors";
import { Refusal } from "../http/refusal.ts";

/** Runs at most `width` tasks at a time, in the order in which they were added. At most `queue` further tasks wait. */
export class TaskPool {
  #free: number;
  readonly #queue: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number, queue = Number.POSITIVE_INFINITY) {
    this.#free = width;
    this.#queue = queue;
  }

  /** Throws 503 `UNAVAILABLE` with `Retry-After` if the queue is full. */
  requireRoom(): void {
    if (this.#waiting.length < this.#queue) return;
    const { status, message } = ERRORS.UNAVAILABLE;
    throw new Refusal(status, { code: "UNAVAILABLE", message }, { "retry-after": "10" });
  }

  /** Runs a task as soon as fewer than `width` tasks are running. Throws 503 `UNAVAILABLE` if the queue is full. */
  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else {
      this.requireRoom();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
