import type { EaselError } from "@easel/sdk";
import { createStore, type Store } from "./external-store.ts";

/** Data from the service as a component sees it. `isLoading` is true until the data has been read or there is an error. */
export interface LiveState<Data> {
  readonly data: Data;
  readonly error: EaselError | undefined;
  readonly isLoading: boolean;
}

/** Says which part of the data may have changed. The `op` is for example `set`, `delete` or `resync`: all of the data. */
export interface Change {
  op: string;
}

/** The functions by which `createLive` reads one kind of data, such as a value or the records of a query, and watches its changes. */
export interface Source<Data, Item extends Change> {
  /** The data before the first read. */
  readonly empty: Data;
  /** Starts a watch and returns a function that stops it. A source without this function is read at the start and at each `refetch`. */
  watch?(onChange: (change: Item | Resync) => void, onError: (error: EaselError) => void): () => void;
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
  /** Returns the changes for the next read, such as the record that was written. `answer` is undefined if the write has failed. */
  touched(answer: { result: Result } | undefined): Item[];
}

/** A store of data that is read again when it changes at the service. The effect of a write is shown before the service responds. */
export interface Live<Data, Item> extends Store<LiveState<Data>> {
  isUsed(): boolean;
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

export type Resync = { op: "resync" };
const RESYNC: Resync = { op: "resync" };

/**
 * The time from a change to the read. All changes within this time cause one read. A write of the page and its change frame also cause only
 * one, because they come shortly after each other.
 */
const GATHER_MS = 10;
/**
 * The maximum time that the first read waits for the watch to begin. A read before the watch would have to be repeated, because the data
 * may change between the two.
 */
const WATCH_MS = 250;

/**
 * Creates a store that reads the data of `source` and watches it while it has subscribers. It reads only when all writes have a response,
 * and reads again if a write began meanwhile. So the data contains all writes so far, and their effects are not applied to it twice.
 */
export function createLive<Data, Item extends Change>(source: Source<Data, Item>): Live<Data, Item> {
  const initial: LiveState<Data> = { data: source.empty, error: undefined, isLoading: true };
  let base = source.empty;
  let effects: { apply(data: Data): Data }[] = [];
  let changes: (Item | Resync)[] = [];
  const errors: {
    read?: EaselError | undefined;
    watch?: EaselError | undefined;
    write?: EaselError | undefined;
  } = {};
  let isLoaded = false;
  let isRunning = false;
  let isReading = false;
  let unanswered = 0;
  let written = 0;
  let queue: Promise<unknown> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
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
    if (Object.is(data, shown) && error === old && isLoading === wasLoading) return;
    store.setState({ data, error, isLoading });
  };

  const schedule = () => {
    clearTimeout(watchTimer);
    if (isRunning) timer ??= setTimeout(read, GATHER_MS);
  };

  const changed = (change: Item | Resync) => {
    changes.push(change);
    schedule();
  };

  const read = async () => {
    timer = undefined;
    // The end of the read and the response to the last write schedule the next read.
    if (isReading || unanswered > 0) return;
    const taken = changes.splice(0);
    const writtenBefore = written;
    let repeat = true;
    isReading = true;
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
    // Changes that came during the read, and those of a read that did not count, are read next. After an error, the next change is awaited.
    if (changes.length > 0 || (repeat && written !== writtenBefore)) schedule();
    if (repeat) changes = [...taken, ...changes];
    show();
  };

  const startWatch = () => {
    const failed = (error: unknown) => {
      errors.watch = error as EaselError;
      stopWatch = undefined;
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
      clearTimeout(timer);
      clearTimeout(watchTimer);
      timer = undefined;
    };
  });

  return {
    initial,
    getState: store.getState,
    subscribe: store.subscribe,
    isUsed: store.isUsed,
    change: changed,

    refetch() {
      errors.write = undefined;
      if (errors.watch) startWatch();
      changed(RESYNC);
    },

    write({ apply, send, confirm, touched }) {
      const effect = { apply };
      effects.push(effect);
      errors.write = undefined;
      unanswered += 1;
      written += 1;
      show();
      const answered = (items: Item[]) => {
        unanswered -= 1;
        changes.push(...items);
        if (changes.length > 0) schedule();
        show();
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
