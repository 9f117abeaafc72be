import type { EaselError } from "../errors.ts";
import type { Resync } from "../realtime/watch.ts";
import { createArrivals } from "./arrivals.ts";
import { createPace } from "./pace.ts";
import { createStore, type Store } from "./store.ts";

/** Data from the service as a component sees it. `isLoading` is true until the data has been read or there is an error. */
export interface LiveState<Data> {
  readonly data: Data;
  readonly error: EaselError | undefined;
  readonly isLoading: boolean;
}

/**
 * Says which part of the data may have changed: the record `id` or the key `key`. The `op` is for example `set`, `delete` or `resync`: all
 * of the data.
 */
export interface Change {
  op: string;
  id?: string;
  key?: string;
}

/** The functions by which `createLive` reads one kind of data, such as a value or the records of a query, and watches its changes. */
export interface Source<Data, Item extends Change> {
  /** The data before the first read. */
  readonly empty: Data;
  /** Starts a watch and returns a function that stops it. A source without this function is read at the start and at each `refetch`. */
  watch?(onChange: (change: Item | Resync) => void, onError: (error: EaselError) => void): () => void;
  /**
   * Returns the data with a change that says what is stored now: the same object if that is known already. If `isComplete` is false, the
   * data must be read nevertheless, because the change may have moved other parts of it. Returns undefined if the change does not say
   * enough.
   */
  apply?(data: Data, change: Item | Resync): { data: Data; isComplete: boolean } | undefined;
  /**
   * Resolves with the data as the service has it now. `data` is the result of the read before, and `changes` says what may have changed
   * since then. If `changes` has a `resync`, the function must read everything.
   */
  read(data: Data, changes: (Item | Resync)[]): Promise<Data>;
  /** Returns a copy of `next` in which each part that is equal to a part of `previous` is the same object as in `previous`. */
  share(previous: Data, next: Data): Data;
}

/** A write to the service, with the functions that show its effect before the next read. */
export interface Write<Data, Item, Result> {
  /** Returns the data with the effect of the write. Used until the service has responded. */
  apply(data: Data): Data;
  send(): Promise<Result>;
  /** Gets the result from the service, and returns a function that is used in place of `apply` from then on. */
  confirm(result: Result): (data: Data) => Data;
  /** Returns what the write has changed, such as the record that was written. `answer` is undefined if the write has failed. */
  touched(answer: { result: Result } | undefined): (Item | Resync)[];
}

/** A store of data that is read again when it changes at the service. The effect of a write is shown before the service responds. */
export interface Live<Data, Item> extends Store<LiveState<Data>> {
  isUsed(): boolean;
  /** Whether the data has been read at least once. */
  isLoaded(): boolean;
  /** Reads the part of the data that `change` names. */
  change(change: Item): void;
  /** Reads all data again. If an error has ended the watch, starts a new one. */
  refetch(): void;
  /**
   * Shows the effect of a write at once, and sends the write when the service has responded to those before it. If the write fails, removes
   * its effect and rejects.
   */
  write<Result>(write: Write<Data, Item, Result>): Promise<Result>;
}

const RESYNC: Resync = { op: "resync" };

/** The time from a change whose order is uncertain to the read that confirms it. All such changes within this time cause one read. */
const CONFIRM_MS = 5_000;
/**
 * The maximum time that the first read waits for the watch to begin. A read before the watch would have to be repeated, because the data
 * may change between the two.
 */
const WATCH_MS = 250;

/**
 * Creates a store that has the data of `source` and watches it while it has subscribers. A change that says what is stored now is shown
 * without a read. All others are gathered and read together. Neither happens before all writes have a response, and a read is repeated if a
 * write began meanwhile. So the data contains all writes so far, and their effects are not applied to it twice.
 */
export function createLive<Data, Item extends Change>(source: Source<Data, Item>): Live<Data, Item> {
  const initial: LiveState<Data> = { data: source.empty, error: undefined, isLoading: true };
  const arrivals = createArrivals();
  const pace = createPace();
  let base = source.empty;
  let effects: { apply(data: Data): Data }[] = [];
  /** The changes that have not been applied or read yet, in the order of their arrival. */
  let changes: (Item | Resync)[] = [];
  /** Changes that are shown, but may have overtaken others on their way. They are read once more. */
  const uncertain: (Item | Resync)[] = [];
  const errors: {
    read?: EaselError | undefined;
    watch?: EaselError | undefined;
    write?: EaselError | undefined;
  } = {};
  let isLoaded = false;
  /** What `isLoaded` was when the state was last set. */
  let wasLoaded = false;
  let isRunning = false;
  let isReading = false;
  let unanswered = 0;
  let written = 0;
  let queue: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let confirmTimer: ReturnType<typeof setTimeout> | undefined;
  let watchTimer: ReturnType<typeof setTimeout> | undefined;
  let stopWatch: (() => void) | undefined;

  const show = () => {
    const { data: shown, error: old, isLoading: wasLoading } = store.getState();
    const data = source.share(
      shown,
      effects.reduce((result, { apply }) => apply(result), base),
    );
    const error = errors.write ?? errors.read ?? errors.watch;
    const isLoading = !isLoaded && error === undefined;
    const isSame = Object.is(data, shown) && error === old && isLoading === wasLoading;
    // Subscribers learn of the first read even if it found nothing and the watch has failed before it.
    if (isSame && isLoaded === wasLoaded) return;
    wasLoaded = isLoaded;
    store.setState({ data, error, isLoading });
  };

  const stopTimers = () => {
    for (const each of [timer, confirmTimer, watchTimer]) clearTimeout(each);
    timer = confirmTimer = undefined;
  };

  /** Schedules the next read. The end of a read and the response to the last write do so again. */
  const schedule = () => {
    clearTimeout(watchTimer);
    if (!isRunning || isReading || unanswered > 0) return;
    if (changes.length > 0) timer ??= setTimeout(read, pace.delay());
    if (uncertain.length > 0) confirmTimer ??= setTimeout(read, CONFIRM_MS);
  };

  const arrive = (change: Item | Resync) => {
    arrivals.add(change, isReading);
    changes.push(change);
  };

  /**
   * Applies the changes that say what is stored now, and schedules a read for the others. While effects of writes are shown, it applies all
   * changes or none: together they contain the writes, and the effects end.
   */
  const settle = () => {
    if (isLoaded && !isReading && unanswered === 0) {
      const unread: typeof changes = [];
      const doubted: typeof changes = [];
      let next = base;
      for (const change of changes) {
        const applied = source.apply?.(next, change);
        if (!applied?.isComplete) unread.push(change);
        if (applied === undefined || Object.is(applied.data, next)) continue;
        if (arrivals.isUncertain(change)) doubted.push(change);
        next = applied.data;
      }
      if (unread.length === 0 || effects.length === 0) {
        base = next;
        effects = [];
        changes = unread;
        uncertain.push(...doubted);
      }
    }
    show();
    schedule();
  };

  const changed = (change: Item | Resync) => {
    // The watch has been confirmed, perhaps again after it had failed.
    if (change.op === "resync" && !("polled" in change)) errors.watch = undefined;
    arrive(change);
    settle();
  };

  const read = async () => {
    stopTimers();
    if (isReading || unanswered > 0) return;
    const taken = [...uncertain.splice(0), ...changes.splice(0)];
    const writtenBefore = written;
    let repeat = true;
    isReading = true;
    pace.count();
    try {
      const data = await source.read(base, taken);
      repeat = written !== writtenBefore;
      if (!repeat) {
        base = data;
        effects = [];
        isLoaded = true;
        errors.read = undefined;
      }
    } catch (error) {
      errors.read = error as EaselError;
    }
    isReading = false;
    // Changes that came during the read, and those of a read that did not count, are next. After an error, the next change is awaited.
    const isNext = changes.length > 0 || (repeat && written !== writtenBefore);
    if (repeat) changes = [...taken, ...changes];
    if (isNext) settle();
    else show();
  };

  const startWatch = () => {
    const failed = (error: unknown) => {
      errors.watch = error as EaselError;
      show();
      schedule();
    };
    errors.watch = undefined;
    if (source.watch === undefined) return schedule();
    watchTimer = setTimeout(schedule, WATCH_MS);
    try {
      stopWatch = source.watch(changed, failed);
    } catch (error) {
      failed(error);
    }
  };

  const store = createStore(initial, () => {
    isRunning = true;
    changes = [RESYNC];
    startWatch();
    return () => {
      isRunning = false;
      stopWatch?.();
      stopWatch = undefined;
      stopTimers();
    };
  });

  return {
    initial,
    getState: store.getState,
    subscribe: store.subscribe,
    isUsed: store.isUsed,
    isLoaded: () => isLoaded,
    change: changed,

    refetch() {
      errors.write = undefined;
      if (errors.watch) {
        stopWatch?.();
        startWatch();
      }
      changed(RESYNC);
    },

    write({ apply, send, confirm, touched }) {
      const effect = { apply };
      effects.push(effect);
      errors.write = undefined;
      unanswered += 1;
      written += 1;
      show();
      const answered = (items: (Item | Resync)[]) => {
        unanswered -= 1;
        for (const item of items) arrive(item);
        settle();
      };
      const promise = queue.then(send).then(
        (result) => {
          effect.apply = confirm(result);
          answered(touched({ result }));
          return result;
        },
        (error) => {
          effects = effects.filter((each) => each !== effect);
          errors.write = error as EaselError;
          answered(touched(undefined));
          throw error;
        },
      );
      // A rejection that a page ignores is not reported as unhandled, because the page gets the error in the state.
      queue = promise.catch(() => {});
      return promise;
    },
  };
}
