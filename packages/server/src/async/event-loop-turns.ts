import { setImmediate as nextTurn } from "node:timers/promises";

/** Numbers the iterations (turns) of the event loop, and runs callbacks at the end of a turn, and long work in turns of its own. */
export class Turns {
  #current = 0;
  #scheduled = false;
  #atEnd: (() => void)[] = [];
  /** Settles when the work that was last passed to `alone` has run. */
  #lastAlone: Promise<unknown> = Promise.resolve();

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
   * Runs work that occupies the event loop for long, in a turn without other such work. Resolves with its result. The work of several
   * callers therefore never adds up to one long turn.
   */
  alone<Result>(work: () => Result): Promise<Result> {
    const result = this.#lastAlone.then(nextTurn).then(work);
    this.#lastAlone = result.catch(() => {});
    return result;
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
