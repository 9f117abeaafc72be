import { LIMITS } from "@easel/protocol/limits";
import { Concurrency, TaskPool } from "./task-pool.ts";

/** The values that identify a sum, such as canvas id, profile and day. They become the primary key of its row in the database. */
type Key = readonly (string | number)[];

/** A number of calls, and the sum of their durations in ms. */
interface Sum {
  key: Key;
  calls: number;
  ms: number;
}

/** The part of the context that belongs to Connections. */
export interface ConnectionCounters {
  /** Limits how many requests of Connections this process sends at once, in all and for each person. */
  outboundCalls: OutboundCalls;
  /** Counts the calls through Connections until the counts are written to the database. */
  callTally: Tally;
}

/** Keeps in memory, for each key, the number of calls and the sum of their durations. */
export class Tally {
  #sums = new Map<string, Sum>();

  add(key: Key, calls: number, ms: number): void {
    const name = JSON.stringify(key);
    const sum = this.#sums.get(name);
    if (sum === undefined) return void this.#sums.set(name, { key, calls, ms });
    sum.calls += calls;
    sum.ms += ms;
  }

  /** Returns all sums and forgets them. */
  take(): Sum[] {
    const sums = [...this.#sums.values()];
    this.#sums.clear();
    return sums;
  }
}

/** The caller of a Connection and the canvas of the call. */
interface OutboundCaller {
  userId: string;
  canvasId: string;
}

const keyOf = ({ userId, canvasId }: OutboundCaller) => `${canvasId} ${userId}`;

/**
 * Shares the calls through Connections of this process among people, so that none of them delays or refuses the calls of others: with slow
 * upstreams, with many canvases, or by not reading responses.
 */
export class OutboundCalls {
  /** The calls of a caller on a canvas. Those that wait here hold no place of the canvas or of the process. */
  readonly #ofCaller = new TaskPool({
    running: Number.POSITIVE_INFINITY,
    runningEach: LIMITS.connectionCallsPerCaller.value,
    waitingEach: LIMITS.connectionCallsWaiting.value,
  });
  readonly #ofProcess: TaskPool;
  readonly #open = new Concurrency(LIMITS.connectionCallsOpen.value);

  /** `running` is how many calls run at once, on all canvases. */
  constructor(running: number = LIMITS.connectionCallsPerProcess.value) {
    this.#ofProcess = new TaskPool({
      running,
      runningEach: LIMITS.connectionCallsPerPerson.value,
      waitingEach: LIMITS.connectionCallsOpen.value,
    });
  }

  /**
   * Counts a call until the returned function is called, when the client has its response: this bounds the memory that the bodies and unread
   * responses of a person take. Returns null if the caller has too many calls, or too many on the canvas.
   */
  open(caller: OutboundCaller): (() => void) | null {
    return this.#ofCaller.hasRoom(keyOf(caller)) ? this.#open.begin(caller.userId) : null;
  }

  /** Runs a call when it is the caller's turn. If `signal` aborts before, rejects at once with its reason. */
  run<Result>(caller: OutboundCaller, task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.#ofCaller.run(keyOf(caller), () => this.#ofProcess.run(caller.userId, task, signal), signal);
  }
}
