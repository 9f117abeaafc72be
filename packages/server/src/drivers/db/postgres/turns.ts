/** Something that sends what it has gathered when the turn ends. */
export interface Gatherer {
  flush(): void;
}

/** Calls gatherers at the end of the turn of the event loop, after every socket that is ready has been read. */
export class Turns {
  #waiting = new Set<Gatherer>();

  /** Calls `flush` of the gatherer at the end of this turn. */
  atEnd(gatherer: Gatherer): void {
    if (this.#waiting.size === 0) setImmediate(() => this.#end());
    this.#waiting.add(gatherer);
  }

  #end(): void {
    const gatherers = this.#waiting;
    this.#waiting = new Set();
    for (const each of gatherers) each.flush();
  }
}

/** The maximum number of calls that are sent as one statement, and of the bytes of their parameters. */
export const CALLS_MAX = 128;
export const CALLS_BYTES = 64 * 1024;

/**
 * The maximum number of statements in flight, each for several calls: of one text for reads, of all texts for writes. Further calls are
 * gathered meanwhile, so that a busy server gets fewer and larger statements, and an idle one is never waited for.
 */
export const IN_FLIGHT_MAX = 2;
