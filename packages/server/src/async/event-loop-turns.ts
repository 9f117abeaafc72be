/** Numbers the iterations (turns) of the event loop, and runs callbacks at the end of a turn. */
export class Turns {
  #current = 0;
  #scheduled = false;
  #atEnd: (() => void)[] = [];

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
