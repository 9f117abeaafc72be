import { LIMITS } from "@easel/protocol/limits";
import type { LoggedCall } from "@easel/protocol/management";

const MINUTE_MS = 60_000;

/**
 * The maximum number of waiting calls of each budget, for all canvases together. Further calls are dropped, for example during an
 * outage.
 */
const MAX_WAITING = 10_000;

/**
 * The budgets of a log, so that the calls of strangers and the errors of pages never keep the calls of people with a role out of it. An
 * outsider is anonymous or has no role on the canvas; everyone else is an insider. Errors that pages have reported count in `page`, of which
 * each person has their own a minute.
 */
export type Budget = "insider" | "outsider" | "page";

const PER_MINUTE: Record<Budget, number> = {
  insider: LIMITS.loggedCallsPerMinute.value,
  outsider: LIMITS.loggedOutsiderCallsPerMinute.value,
  page: LIMITS.pageErrorsPerMinute.value,
};

/** A call that is not written yet, and the budget in which it counts. */
export type WaitingCall = LoggedCall & { budget: Budget };

/** Called with each refused or failed call, and with the id and the slug of its canvas. */
export type CallListener = (call: LoggedCall, canvas: { id: string; slug: string }) => void;

/** Calls of one canvas that are not written yet. `dropped` is the number of further calls, which were not kept. */
export interface WaitingCalls {
  canvasId: string;
  calls: WaitingCall[];
  dropped: number;
}

/**
 * The waiting calls of a canvas, and the numbers of calls logged in its latest minute: by budget, and in `page` by the id of the person.
 * `minute` counts from the epoch.
 */
interface Counted extends WaitingCalls {
  minute: number;
  logged: Map<string, number>;
}

const none = (): Record<Budget, number> => ({ insider: 0, outsider: 0, page: 0 });

/** The part of the context that belongs to the call log. */
export interface CallLogging {
  /** Collects the refused and failed calls to the runtime API of canvases until they are written to the database. */
  callLog: CallLog;
}

/**
 * Collects the refused and failed calls to the runtime API of all canvases of this node until they are written to the database. Keeps a
 * limited number of calls per canvas, minute and budget, and only counts the rest, so that a page that fails very often costs
 * little (decision 042).
 */
export class CallLog {
  readonly #isKept: boolean;
  readonly #listeners = new Set<CallListener>();
  readonly #canvases = new Map<string, Counted>();
  #waiting = none();
  #writing: Promise<void> = Promise.resolve();

  /** If `isKept` is false, calls are passed to listeners and then forgotten. */
  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  add(canvas: { id: string; slug: string }, call: LoggedCall, budget: Budget): void {
    for (const listener of this.#listeners) listener(call, canvas);
    if (!this.#isKept) return;
    const own = this.#of(canvas.id);
    const minute = Math.floor(call.at / MINUTE_MS);
    if (own.minute !== minute) [own.minute, own.logged] = [minute, new Map()];
    const counter = budget === "page" ? `page ${call.userId}` : budget;
    const logged = own.logged.get(counter) ?? 0;
    if (logged >= PER_MINUTE[budget] || this.#waiting[budget] >= MAX_WAITING) return void own.dropped++;
    own.logged.set(counter, logged + 1);
    own.calls.push({ ...call, budget });
    this.#waiting[budget]++;
  }

  /**
   * Calls `listener` with each call that is added from now on, including dropped calls. Returns a function that removes the
   * listener. A listener must not throw.
   */
  subscribe(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Passes the waiting calls to `store`, one canvas after the other, once earlier writes have ended. If `store` throws, rethrows
   * the error and keeps the calls that are not stored for the next write. `now` is the time in epoch milliseconds.
   */
  write(store: (calls: WaitingCalls) => Promise<void>, now: number): Promise<void> {
    const written = this.#writing.then(async () => {
      const waiting = this.#take(now);
      try {
        for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
          await store(next);
          waiting.shift();
        }
      } catch (error) {
        for (const each of waiting) this.#putBack(each);
        throw error;
      }
    });
    this.#writing = written.catch(() => {});
    return written;
  }

  #of(canvasId: string): Counted {
    const known = this.#canvases.get(canvasId);
    if (known !== undefined) return known;
    const added: Counted = { canvasId, calls: [], dropped: 0, minute: 0, logged: new Map() };
    this.#canvases.set(canvasId, added);
    return added;
  }

  /** Removes and returns the waiting calls of all canvases. Also removes the canvases whose latest minute is over. */
  #take(now: number): WaitingCalls[] {
    const minute = Math.floor(now / MINUTE_MS);
    const waiting: WaitingCalls[] = [];
    for (const own of this.#canvases.values()) {
      const { canvasId, calls, dropped } = own;
      if (calls.length > 0 || dropped > 0) waiting.push({ canvasId, calls, dropped });
      if (own.minute < minute) this.#canvases.delete(canvasId);
      else [own.calls, own.dropped] = [[], 0];
    }
    this.#waiting = none();
    return waiting;
  }

  #putBack({ canvasId, calls, dropped }: WaitingCalls): void {
    const own = this.#of(canvasId);
    own.calls.unshift(...calls);
    own.dropped += dropped;
    for (const { budget } of calls) this.#waiting[budget]++;
  }
}
