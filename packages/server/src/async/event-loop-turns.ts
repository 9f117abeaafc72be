import { setImmediate as nextTurn } from "node:timers/promises";

/** The time for which work passed to `start` is started in one turn, in milliseconds. */
const START_MS = 5;

/** Numbers the iterations (turns) of the event loop, and runs callbacks at the end of a turn, and long work in turns of its own. */
export class Turns {
  readonly #now: () => number;
  #current = 0;
  #scheduled = false;
  #atEnd: (() => void)[] = [];
  /** The work that waits for a later turn, in the order of the calls of `start`. */
  #toStart: (() => void)[] = [];
  /** The turn in which work was last started, and the time at which its first work began. */
  #startedIn = -1;
  #startedAt = 0;
  /** Settles when the work that was last passed to `alone` has run. */
  #lastAlone: Promise<unknown> = Promise.resolve();

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
    if (this.#toStart.length === 0 && this.#hasTime()) work();
    else if (this.#toStart.push(work) === 1) setImmediate(() => this.#startWaiting());
  }

  /**
   * Runs work that occupies the event loop for long, in a turn without other such work. Resolves with its result. The work of several
   * callers therefore never adds up to one long turn.
   */
  alone<Result>(work: () => Result): Promise<Result> {
    const result = this.#lastAlone.then(nextTurn).then(work);
    this.#lastAlone = result.catch(() => {});
    return result;
  }

  #hasTime(): boolean {
    const now = this.#now();
    if (this.current !== this.#startedIn) {
      this.#startedIn = this.#current;
      this.#startedAt = now;
    }
    return now - this.#startedAt < START_MS;
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
