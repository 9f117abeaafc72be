import { ERRORS } from "@easel/protocol/errors";
import { Refusal } from "../http/refusal.ts";

/**
 * Calls `work` for every item, at most `width` at a time. Returns the results in the order of the items. After a failed call, starts no
 * other, waits for the running ones, and throws the first error.
 */
export async function inParallel<Item, Result>(
  items: Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const errors: unknown[] = [];
  const worker = async () => {
    for (const [index, item] of queue) {
      if (errors.length > 0) return;
      try {
        results[index] = await work(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  if (errors.length > 0) throw errors[0];
  return results;
}

/** Limits the number of concurrent operations of each holder, such as a user. */
export class Concurrency {
  readonly #limit: number;
  readonly #counts = new Map<string, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts an operation of a holder. Returns the function to call at its end, or null if the holder has reached the limit. */
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

/** The limits of a `TaskPool`. Each can be `Infinity`. */
export interface PoolLimits {
  /** How many tasks run at once. */
  running: number;
  /** How many tasks of one person run at once, even if further places are free. */
  runningEach: number;
  /** How many further tasks of one person wait. */
  waitingEach: number;
}

/** The tasks of a person. */
interface Queue {
  running: number;
  /** The functions that start the waiting tasks, in the order in which the tasks were added. */
  readonly waiting: Set<() => void>;
}

/**
 * Runs a limited number of tasks at once. Each person has a queue, whose tasks start in order. People take turns: before a person's second
 * task, every other person with a waiting task has had one started (decision 047).
 */
export class TaskPool {
  #free: number;
  readonly #limits: PoolLimits;
  /** The people with running or waiting tasks. */
  readonly #queues = new Map<string, Queue>();
  /** The queues of which a task may start, in the order of their turns. */
  readonly #turns = new Set<Queue>();
  /** The signal of tasks that nothing ends. */
  readonly #never = new AbortController().signal;

  constructor(limits: PoolLimits) {
    this.#free = limits.running;
    this.#limits = limits;
  }

  /** Whether no task of this person runs or waits. */
  isIdle(person: string): boolean {
    return !this.#queues.has(person);
  }

  /** Whether another task of this person could start now. */
  hasPlace(person: string): boolean {
    return this.#free > 0 && (this.#queues.get(person)?.running ?? 0) < this.#limits.runningEach;
  }

  /** Whether another task of this person could start or wait. */
  hasRoom(person: string): boolean {
    return (this.#queues.get(person)?.waiting.size ?? 0) < this.#limits.waitingEach || this.hasPlace(person);
  }

  /** Throws 503 `UNAVAILABLE` with `Retry-After` if another task of this person could neither start nor wait. */
  requireRoom(person: string): void {
    if (this.hasRoom(person)) return;
    const { status, message } = ERRORS.UNAVAILABLE;
    throw new Refusal(status, { code: "UNAVAILABLE", message }, { "retry-after": "10" });
  }

  /**
   * Runs a task when it is the person's turn and a place is free. The place is free again when the task has settled. If `signal` aborts
   * before the start, rejects at once with its reason; a running task gets the signal and has to stop by itself. Throws 503 `UNAVAILABLE`
   * if the person's queue is full.
   */
  async run<Result>(
    person: string,
    task: (signal: AbortSignal) => Promise<Result>,
    signal = this.#never,
  ): Promise<Result> {
    signal.throwIfAborted();
    this.requireRoom(person);
    const queue: Queue = this.#queues.get(person) ?? { running: 0, waiting: new Set() };
    this.#queues.set(person, queue);
    await this.#waitForPlace(person, queue, signal);
    try {
      signal.throwIfAborted();
      return await task(signal);
    } finally {
      queue.running--;
      this.#free++;
      this.#update(person, queue);
    }
  }

  /** Waits for a place. Rejects with the reason of `signal` if it aborts before. */
  #waitForPlace(person: string, queue: Queue, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        queue.waiting.delete(start);
        this.#update(person, queue);
        reject(signal.reason);
      };
      queue.waiting.add(start);
      this.#update(person, queue);
      if (queue.waiting.has(start)) signal.addEventListener("abort", leave, { once: true });
    });
  }

  /** Starts what may start after a change of a queue. A queue without tasks is forgotten. */
  #update(person: string, queue: Queue): void {
    if (queue.running === 0 && queue.waiting.size === 0) this.#queues.delete(person);
    this.#takeTurns(queue);
    for (const next of this.#turns) {
      if (this.#free === 0) return;
      const [start] = next.waiting;
      if (start === undefined) continue;
      next.waiting.delete(start);
      next.running++;
      this.#free--;
      this.#turns.delete(next);
      this.#takeTurns(next);
      start();
    }
  }

  /** Puts a queue at the end of the turns if a task of it may start, and otherwise removes it. */
  #takeTurns(queue: Queue): void {
    if (queue.waiting.size === 0 || queue.running >= this.#limits.runningEach) this.#turns.delete(queue);
    else this.#turns.add(queue);
  }
}
