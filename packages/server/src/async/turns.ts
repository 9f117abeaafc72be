/** The turns of the event loop: numbers them, and runs what is to be done at the end of one. */
export class Turns {
  #current = 0;
  #asked = false;
  #atEnd: (() => void)[] = [];

  /** The number of this turn. */
  get current(): number {
    this.#ask();
    return this.#current;
  }

  /** Calls `work` when every socket that is ready has been read. */
  atEnd(work: () => void): void {
    this.#ask();
    this.#atEnd.push(work);
  }

  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    setImmediate(() => this.#end());
  }

  #end(): void {
    this.#asked = false;
    this.#current++;
    const works = this.#atEnd;
    this.#atEnd = [];
    for (const work of works) work();
  }
}
