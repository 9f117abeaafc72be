import type { EaselError } from "@easel/sdk";
import { createStore, type Store } from "./external-store.ts";

/** Data of the service as a component sees it. `isLoading` is true until the data or an error is there. */
export interface LiveState<Data> {
  readonly data: Data;
  readonly error: EaselError | undefined;
  readonly isLoading: boolean;
}

/** A part of the data may have changed, or all of it (`resync`). */
export interface Change {
  op: string;
}

/** How data is read and watched. */
export interface Source<Data, Item extends Change> {
  /** The data before the first read. */
  readonly empty: Data;
  /** Starts a watch and returns a function that stops it. Without a watch, data is read once. */
  watch?(onChange: (change: Item | Resync) => void, onError: (error: EaselError) => void): () => void;
  /** Resolves with the present data. `data` is what was read before `changes`; with a `resync` among them, everything is read. */
  read(data: Data, changes: (Item | Resync)[]): Promise<Data>;
  /** Returns `next` with the parts of `previous` that are equal. */
  share(previous: Data, next: Data): Data;
}

/** A write, and what it makes of the data until the next read. */
export interface Write<Data, Item, Result> {
  /** Returns the data as the write will leave it, if the service accepts it. */
  apply(data: Data): Data;
  send(): Promise<Result>;
  /** Returns the function that replaces `apply` once the service has accepted the write. */
  confirm(result: Result): (data: Data) => Data;
  /** Returns what is to be read after the write. `answer` is undefined if it has failed. */
  touched(answer: { result: Result } | undefined): Item[];
}

/** Data that follows the service, with writes that are shown at once. */
export interface Live<Data, Item> extends Store<LiveState<Data>> {
  isUsed(): boolean;
  /** Reads what a change concerns. */
  change(change: Item): void;
  /** Reads everything, and watches again if an error has ended the watch. */
  refetch(): void;
  /** Shows a write at once, and sends it after the writes before it. Takes it back if the service refuses it. */
  write<Result>(write: Write<Data, Item, Result>): Promise<Result>;
}

export type Resync = { op: "resync" };
const RESYNC: Resync = { op: "resync" };

/** The time in which changes are gathered before one read. An own write and its change frame come within this time, too. */
const GATHER_MS = 10;
/** The time that the first read waits for the watch. What is read after the watch has begun need not be read again. */
const WATCH_MS = 250;

/**
 * Creates data that follows the service while it has subscribers. A read counts only if no write was sent or unanswered between its
 * beginning and its end. So the data read contains all writes before it, and their optimistic effects are dropped: none is applied twice.
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
