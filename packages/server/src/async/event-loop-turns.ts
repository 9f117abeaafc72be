import { setImmediate as nextTurn } from "node:timers/promises";
import { TaskPool } from "./task-pool.ts";

/** The time for which work passed to `start` is started in one turn, in milliseconds. */
const START_MS = 5;
/** The time in milliseconds after which long work gives its turn away. It adds to the time of every request that arrives meanwhile. */
const WORK_MS = 1;

/**
 * Numbers the iterations (turns) of the event loop, and runs callbacks at the end of a turn, and long work in turns of its own, which people
 * take by turns.
 */
export class Turns {
  readonly #now: () => number;
  #current = 0;
  #scheduled = false;
  #atEnd: (() => void)[] = [];
  /** The work that waits for a later turn, in the order of the calls of `start`. */
  #toStart: (() => void)[] = [];
  /** The turn that was last asked about, and the time of its first question. */
  #startedIn = -1;
  #startedAt = 0;
  /** Long work, by person: one piece in each turn. The callers limit how much of it waits. */
  readonly #long = new TaskPool({ running: 1, runningEach: 1, waitingEach: Infinity });

  /** `now` is a clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The number of the current turn of the event loop. */
  get current(): number {
    this.#scheduleEnd();
    return this.#current;
  }

  /** Calls `work` at the end of the current turn of the event loop, after every socket that is ready has been read. */
  atEnd(work: () => void): void {
    this.#scheduleEnd();
    this.#atEnd.push(work);
  }

  /**
   * Runs `work` at once, or in a later turn if this turn has started other work for 5 ms already. A burst of work therefore never becomes
   * one long turn.
   */
  start(work: () => void): void {
    if (this.#toStart.length === 0 && this.#used() < START_MS) work();
    else if (this.#toStart.push(work) === 1) setImmediate(() => this.#startWaiting());
  }

  /**
   * Runs work that occupies the event loop for long, in a turn without other such work. Resolves with its result. The work of several
   * callers therefore never adds up to one long turn, and the people for whom it is done take turns. If `signal` aborts before the start,
   * rejects with its reason.
   */
  alone<Result>(person: string, work: () => Result, signal?: AbortSignal): Promise<Result> {
    const inTurn = async () => {
      await nextTurn();
      signal?.throwIfAborted();
      this.#used();
      return work();
    };
    return this.#long.run(person, inTurn, signal);
  }

  /**
   * Gives this turn away if it has been used for so long that long work has to, until the next turn of the person. Returns undefined if the work can go on
   * at once. `signal` returns the signal of the client, with whose reason the promise rejects.
   */
  give(person: string, signal: () => AbortSignal): Promise<void> | undefined {
    return this.#used() >= WORK_MS ? this.alone(person, () => {}, signal()) : undefined;
  }

  /** Returns for how many milliseconds this turn has been used since it was first asked about. */
  #used(): number {
    const now = this.#now();
    if (this.current !== this.#startedIn) {
      this.#startedIn = this.#current;
      this.#startedAt = now;
    }
    return now - this.#startedAt;
  }

  #startWaiting(): void {
    const end = this.#now() + START_MS;
    while (this.#toStart.length > 0 && this.#now() < end) this.#toStart.shift()?.();
    if (this.#toStart.length > 0) setImmediate(() => this.#startWaiting());
  }

  #scheduleEnd(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#end());
  }

  #end(): void {
    this.#scheduled = false;
    this.#current++;
    const works = this.#atEnd;
    this.#atEnd = [];
    for (const work of works) work();
  }
}
