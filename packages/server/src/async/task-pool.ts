import { ERRORS } from "@easel/protocol/errors";
import { Refusal } from "../http/refusal.ts";

/** Runs at most `width` tasks at a time, in the order in which they were added. At most `queue` others wait. */
export class TaskPool {
  #free: number;
  readonly #queue: number;
  readonly #waiting: (() => void)[] = [];

  constructor(width: number, queue = Number.POSITIVE_INFINITY) {
    this.#free = width;
    this.#queue = queue;
  }

  /** Throws while the queue is full: 503 `UNAVAILABLE` with `Retry-After`. */
  requireRoom(): void {
    if (this.#waiting.length < this.#queue) return;
    const { status, message } = ERRORS.UNAVAILABLE;
    throw new Refusal(status, { code: "UNAVAILABLE", message }, { "retry-after": "10" });
  }

  /** Runs a task when one of `width` is free. Rejects while the queue is full. */
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
