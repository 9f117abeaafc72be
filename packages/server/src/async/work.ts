import { refuse } from "../http/refusal.ts";
import type { Turns } from "./event-loop-turns.ts";

/**
 * How much work one call may do, whatever the size of its request. The time for all of one kind is below half a second.
 *
 * - `characters`: of texts that are searched, for each search
 * - `matches`: found places that are changed
 * - `bytes`: of files that are read to be searched or converted to text
 */
const BUDGET = {
  characters: 64 * 1024 * 1024,
  matches: 100_000,
  bytes: 8 * 1024 * 1024,
} as const;

/** A kind of work. */
export type WorkKind = keyof typeof BUDGET;

/**
 * The work of one call: for whom it is done, how much of it is left, and when it ends. Work that can take more than a few milliseconds counts
 * with `spend` what it is about to do, and calls `pause` after each piece.
 */
export class Work {
  readonly #person: string;
  readonly #turns: Turns;
  /** How much of each kind has been done; undefined for none, because most calls count none. */
  #done: Partial<Record<WorkKind, number>> | undefined;
  /** Returns the signal that aborts when the client has gone. It is made at the first call. */
  readonly signal: () => AbortSignal;

  /** `person` is the id of the caller, to whom the work is charged. */
  constructor(person: string, signal: () => AbortSignal, { turns }: { turns: Turns }) {
    this.#person = person;
    this.signal = signal;
    this.#turns = turns;
  }

  /** Returns how much work of a kind is left. */
  left(kind: WorkKind): number {
    return BUDGET[kind] - (this.#done?.[kind] ?? 0);
  }

  /**
   * Counts work that is about to be done. Throws 400 `INVALID_BODY` if it exceeds what one call may do. `instead` is a sentence that says what
   * to do instead.
   */
  spend(kind: WorkKind, amount: number, instead: string): void {
    this.#done ??= {};
    const done = (this.#done[kind] ?? 0) + amount;
    this.#done[kind] = done;
    if (done > BUDGET[kind])
      refuse("INVALID_BODY", {
        message: `This is too much work for one call: more than ${BUDGET[kind]} ${kind}.`,
        hint: instead,
      });
  }

  /**
   * Gives the turn of the event loop away once it has been used for long, until the person's turn comes again. Throws the reason of the signal
   * if the client has gone. Returns undefined if the work can go on at once.
   */
  pause(): Promise<void> | undefined {
    return this.#turns.give(this.#person, this.signal);
  }

  /**
   * Starts tasks one after the other, with a pause before each, and returns their results. The reads of a database that answers at once are so spread
   * over turns, and those of others still go together.
   */
  async all<Tasks extends readonly (() => Promise<unknown>)[]>(
    tasks: Tasks,
  ): Promise<{ [Index in keyof Tasks]: Awaited<ReturnType<Tasks[Index]>> }> {
    const started: Promise<unknown>[] = [];
    for (const task of tasks) {
      await this.pause();
      const running = task();
      // An error is thrown below, once all have been started.
      running.catch(() => {});
      started.push(running);
    }
    return (await Promise.all(started)) as { [Index in keyof Tasks]: Awaited<ReturnType<Tasks[Index]>> };
  }
}
